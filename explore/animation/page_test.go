package animation

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stampede/explore/replay"
)

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../page/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Animations have the colours, the words and the flash of the page.
func TestLooksLikeThePage(t *testing.T) {
	bright, night, found := strings.Cut(readPage(t, "picture.css"), "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("picture.css has no dark theme")
	}
	names := [replay.States]string{"idle", "waiting", "provider", "refused", "answered", "gave-up"}
	for state, name := range names {
		pattern := regexp.MustCompile(`--state-` + name + `: #([0-9a-f]+);`)
		colour := pattern.FindStringSubmatch(bright)
		if colour == nil || long(colour[1]) != fmt.Sprintf("%06x", light.states[state]) {
			t.Errorf("%s: found %06x; the page has %v", name, light.states[state], colour)
		}
		if other := pattern.FindStringSubmatch(night); other != nil {
			colour = other // else the dark theme has the colour of the light one
		}
		if colour == nil || long(colour[1]) != fmt.Sprintf("%06x", dark.states[state]) {
			t.Errorf("%s: found %06x in the dark; the page has %v", name, dark.states[state], colour)
		}
	}
	words := regexp.MustCompile(`WORDS = \[(.*)\]`).FindStringSubmatch(readPage(t, "shapes.js"))
	if words == nil {
		t.Fatal("shapes.js has no WORDS")
	}
	for state, word := range strings.Split(words[1], ", ")[:replay.States] {
		if want := replay.State(state).String(); strings.Trim(word, "'") != want {
			t.Errorf("the page says %s; want %s", word, want)
		}
	}
	seconds := regexp.MustCompile(`FLASH_S = ([0-9.]+);`).FindStringSubmatch(readPage(t, "replay.js"))
	if seconds == nil || seconds[1] != strconv.FormatFloat(flash, 'g', -1, 64) {
		t.Errorf("a refusal is shown for %v s; on the page for %v", flash, seconds)
	}
}

// long writes #abc as #aabbcc.
func long(colour string) string {
	if len(colour) != 3 {
		return colour
	}
	return strings.Repeat(colour[:1], 2) + strings.Repeat(colour[1:2], 2) + strings.Repeat(colour[2:], 2)
}
