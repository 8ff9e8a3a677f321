package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stampede/explore"
)

// Numbers in docs/teaching.md are of three kinds, and this file holds each of them.
//
// A table between a comment and <!-- end --> is made by this test; UPDATE_DOCS=1 writes it:
//
//	<!-- plan -->                   the sections with minutes in their headings
//	<!-- predict -->                the question of the section's scene
//	<!-- scenes: METRICS            metrics of each policy of a scene, one address a line, as its picture begins
//	#v=1&s=herd
//	-->
//	<!-- runs: METRICS -->          means and 95 % intervals of the commands in the ```sh blocks above
//	<!-- findings                   rows of docs/validation.md, one a line
//	thundering-herd/cleared_none_s
//	-->
//
// A number in prose stands in a fragment that a comment of its section accounts for, with an expression for each
// number (see [teachingValue]):
//
//	<!-- held
//	300 clients = field("workload.burst.calls")
//	160 of them wait 20 s =
//	  cell("no jitter", "answered"); field("policy.retry.backoff.exponential.cap")
//	-->
//
// Only statuses of HTTP, ordinals and what stands in code need no account, and in the question of a scene what is
// written in its document.
const teachingPath = "docs/teaching.md"

var (
	teachingBlock = regexp.MustCompile(`(?s)<!-- (plan|predict|scenes|runs|findings)\b(.*?)-->\n(.*?)<!-- end -->\n`)
	heldBlock     = regexp.MustCompile(`(?s)<!-- held\n(.*?)-->`)
	// heldLine splits at the first = behind which an expression can stand: formulas in fragments have some, too.
	heldLine       = regexp.MustCompile(`^(.*?\d.*) = (.*)$`)
	minutesHeading = regexp.MustCompile(`^## (.*) \((\d+) minutes\)$`)
	sceneAddress   = regexp.MustCompile("#v=1&s=[^`\"\\s]+")
	proseNumber    = regexp.MustCompile(`[\pL_][\pL\d_-]*|\d[\d,]*(?:\.\d+)?`) // or a name: p95, gpt-4o
	// notProse is what holds no number of its own: comments, code, targets of links, ordinals.
	notProse = regexp.MustCompile("(?s)<!--.*?-->|```.*?```|`[^`]*`|\\]\\([^)]*\\)" +
		`|(?m:^#+ (?:Exercise )?\d+[.:])|(?m:^ *\d+\. )|\(\d+ minutes\)`)
	statuses = []string{"429", "500", "503", "529"}
)

// lesson is a section of the document.
type lesson struct {
	heading   string
	text      string
	scene     explore.Scene                 // the first that it names
	cells     map[string]map[string]float64 // of its tables, by row and metric
	prices    map[string]string             // of tokens, by row
	providers map[string]string             // in words, by row
	measure   func(address, policy, metric string) (float64, error)
	printed   string // by its other commands, such as check
}

// lessons cuts the document at its headings.
func lessons(t *testing.T, text string) (all []*lesson) {
	t.Helper()
	scenes := map[string]explore.Scene{}
	for _, s := range teachingScenes(t) {
		scenes[s.ID] = s
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "### ") || len(all) == 0 {
			all = append(all, &lesson{
				heading: strings.TrimSpace(line), cells: map[string]map[string]float64{},
				prices: map[string]string{}, providers: map[string]string{},
			})
		}
		all[len(all)-1].text += line
	}
	for _, l := range all {
		l.measure = func(address, policy, metric string) (float64, error) {
			scene, moved := openAddress(t, scenes, address)
			for _, p := range scene.Policies {
				if p.Name != policy {
					continue
				}
				values, _, _ := runScene(t, scene.Scenario, sceneSettings(p, moved))
				if x, ok := values[metric]; ok {
					return x, nil
				}
			}
			return 0, fmt.Errorf("%s: no policy %q with a value of %q", address, policy, metric)
		}
		for _, address := range sceneAddress.FindAllString(l.text, -1) {
			scene, set := openAddress(t, scenes, address)
			if l.scene.ID == "" {
				l.scene = scene
			}
			for path, value := range set {
				inRange(t, scene, path, value)
			}
		}
	}
	return all
}

func teachingScenes(t *testing.T) []explore.Scene {
	t.Helper()
	scenes, err := explore.Scenes()
	if err != nil {
		t.Fatal(err)
	}
	return scenes
}

// Every table and every number of docs/teaching.md is what the scenes, the commands and the catalogue give.
// UPDATE_DOCS=1 writes the tables.
func TestTeaching(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the scenes and exercises at their full size")
	}
	text := document(t, teachingPath)
	all := lessons(t, text)
	findings := catalogueFindings(t)
	var updated strings.Builder
	for _, l := range all {
		lab := &teachingLab{lesson: l, all: all, findings: findings}
		l.text = lab.fill(t)
		updated.WriteString(l.text)
	}
	if got := updated.String(); got != text {
		if os.Getenv("UPDATE_DOCS") == "" {
			t.Errorf("a table of %s is not what is measured; run this test with UPDATE_DOCS=1\n%s",
				teachingPath, firstDifference(text, got))
		} else if err := os.WriteFile("../../"+teachingPath, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range all {
		for _, problem := range unaccounted(l, findings) {
			t.Errorf("%s: %s: %s", teachingPath, l.heading, problem)
		}
	}
}

// The lecture takes an hour, and each scene is in it.
func TestTeachingTakesAnHour(t *testing.T) {
	text := document(t, teachingPath)
	minutes := 0
	for _, l := range lessons(t, text) {
		if m := minutesHeading.FindStringSubmatch(l.heading); m != nil {
			n, _ := strconv.Atoi(m[2])
			minutes += n
		}
	}
	if minutes != 60 {
		t.Errorf("%s plans %d minutes; want 60", teachingPath, minutes)
	}
	for _, s := range teachingScenes(t) {
		if !strings.Contains(text, "`#v=1&s="+s.ID+"`") {
			t.Errorf("%s has no address of the scene %s", teachingPath, s.ID)
		}
	}
}

// unaccounted lists the numbers in the prose of a section that nothing holds, and what is held and wrong.
func unaccounted(l *lesson, findings map[string]finding) (problems []string) {
	question := ""
	text := teachingBlock.ReplaceAllStringFunc(l.text, func(block string) string {
		if m := teachingBlock.FindStringSubmatch(block); m[1] == "predict" {
			question = strings.Join(strings.Fields(strings.ReplaceAll(m[3], ">", "")), " ")
		}
		return "\n"
	})
	prose := strings.Join(strings.Fields(notProse.ReplaceAllString(text, " `` ")), " ") + "\n" + question
	given := sceneNumbers(l.scene)
	covered := make([]bool, len(prose))
	for _, block := range heldBlock.FindAllStringSubmatch(l.text, -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\n  ", " ")) {
			m := heldLine.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil {
				problems = append(problems, fmt.Sprintf("%q is not FRAGMENT = EXPRESSION", line))
				continue
			}
			found := false
			for at := 0; ; {
				i := strings.Index(prose[at:], m[1])
				if i < 0 {
					break
				}
				found = true
				for j := at + i; j < at+i+len(m[1]); j++ {
					covered[j] = true
				}
				at += i + len(m[1])
			}
			if !found {
				problems = append(problems, fmt.Sprintf("%q is held and does not stand in the text", m[1]))
			}
			problems = append(problems, heldWrong(l, findings, m[1], strings.Split(m[2], ";"))...)
		}
	}
	for _, at := range proseNumber.FindAllStringIndex(prose, -1) {
		number := strings.TrimRight(prose[at[0]:at[1]], ",")
		if number[0] < '0' || number[0] > '9' || slices.Contains(statuses, number) {
			continue
		}
		if covered[at[0]] && covered[at[0]+len(number)-1] {
			continue
		}
		if at[0] >= len(prose)-len(question) && slices.Contains(given, strings.ReplaceAll(number, ",", "")) {
			continue
		}
		around := prose[max(0, at[0]-30):min(len(prose), at[1]+30)]
		problems = append(problems, fmt.Sprintf("nothing holds %s in %q", number, around))
	}
	return problems
}

// heldWrong compares each number of a fragment with the value of its expression, rounded as the number is.
func heldWrong(l *lesson, findings map[string]finding, fragment string, expressions []string) (problems []string) {
	var numbers []string
	for _, n := range proseNumber.FindAllString(fragment, -1) {
		if n = strings.TrimRight(n, ","); n[0] >= '0' && n[0] <= '9' && !slices.Contains(statuses, n) {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) != len(expressions) {
		return []string{fmt.Sprintf("%q: %d numbers, %d expressions", fragment, len(numbers), len(expressions))}
	}
	for i, n := range numbers {
		x, err := teachingValue(l, findings, strings.TrimSpace(expressions[i]))
		if err != nil {
			problems = append(problems, fmt.Sprintf("%q: %v", fragment, err))
			continue
		}
		plain := strings.ReplaceAll(n, ",", "")
		_, decimals, _ := strings.Cut(plain, ".")
		if got := strconv.FormatFloat(x, 'f', len(decimals), 64); got != plain {
			problems = append(problems, fmt.Sprintf("%q: %s is %v", fragment, strings.TrimSpace(expressions[i]), x))
		}
	}
	return problems
}

// What the document is held by can fail.
func TestTeachingHoldsNumbers(t *testing.T) {
	for _, test := range []struct{ name, text, held, want string }{
		{"held", "It takes 3 s.", "takes 3 s = 1+2", ""},
		{"not held", "It takes 3 s.", "", "nothing holds 3"},
		{"another value", "It takes 3 s.", "takes 3 s = 2+2", "2+2 is 4"},
		{"rounded as it is written", "It takes 2.99 s.", "takes 2.99 s = 2.9851", ""},
		{"rounded to another value", "It takes 2.99 s.", "takes 2.99 s = 2.9849", "is 2.9849"},
		{"a part of a number", "It takes 30 s.", "takes 3 = 3", "nothing holds 30"},
		{"not in the text", "It takes long.", "takes 3 s = 3", "does not stand in the text"},
		{"two numbers, one expression", "From 3 to 4 s.", "From 3 to 4 s = 3", "2 numbers, 1 expressions"},
		{"thousands", "It takes 1,500 s.", "takes 1,500 s = 3*500", ""},
		{"over lines", "It takes\n3 s.", "takes 3 s =\n  3", ""},
		{"names, statuses, ordinals and code", "1. The p95 of gpt-4o with 429 is `3 s`.", "", ""},
		{"theory far from the measured", "It takes 3 s.", "takes 3 s = near(3, 4, 0.1)", "not within"},
		{"a condition that does not hold", "It takes 3 s.", "takes 3 s = given(3, 1, 0)", "1 is not 0"},
		{"an unknown row", "It takes 3 s.", `takes 3 s = cell("no", "makespan_s")`, "0 rows"},
		{"an unknown finding", "It takes 3 s.", `takes 3 s = finding("no")`, "no finding"},
	} {
		l := &lesson{text: test.text + "\n\n<!-- held\n" + test.held + "\n-->\n"}
		if test.held == "" {
			l.text = test.text
		}
		got := strings.Join(unaccounted(l, nil), "; ")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q; want %q", test.name, got, test.want)
		}
	}
}

func firstDifference(a, b string) string {
	linesA, linesB := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(linesA), len(linesB)) {
		if linesA[i] != linesB[i] {
			return fmt.Sprintf("line %d stands\n%s\nmeasured\n%s", i+1, linesA[i], linesB[i])
		}
	}
	return fmt.Sprintf("%d lines stand, %d are measured", len(linesA), len(linesB))
}
