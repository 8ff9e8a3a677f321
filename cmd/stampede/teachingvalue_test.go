package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stampede/explore"
	"stampede/explore/engine"
	"stampede/scenario"
)

// teachingValue evaluates arithmetic in the syntax of Go over
//
//	cell("ROW", "METRIC")     of a table of the section; ROW is "POLICY", "SLIDER, POLICY" or the settings,
//	                          or a part of these that no other row has
//	scene("ADDRESS", "POLICY", "METRIC")  of any address, such as "#v=1&s=herd&seed=2"
//	field("PATH")             a number in the document of the section's scene
//	field("FILE", "PATH")     in an example, or in "built-in"
//	set("POLICY", "PATH")     in a setting of a policy of the scene
//	price("ROW", "in")        USD for a million tokens, in a row of a table; also cached, written, out
//	provider("ROW", "PATTERN")  what the first group matches in the description of the provider, in a row of a scene
//	document("PATTERN")       in the document of the scene
//	prints("PATTERN")         in the output of check
//	finding("EXPERIMENT/FINDING"), reference("EXPERIMENT/FINDING")
//	near(x, y, part)          x, where it is within that part of y: theory beside a measurement
//	given(x, y, z)            x, where y is z
//	beyond(p50, p95, x)       P(X > x) of a lognormal X
//	exp(x), ln(x), sqrt(x), floor(x), pow(x, y), round(x, step)
func teachingValue(l *lesson, findings map[string]finding, expression string) (float64, error) {
	tree, err := parser.ParseExpr(expression)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", expression, err)
	}
	return valueOf(l, findings, tree)
}

func valueOf(l *lesson, findings map[string]finding, e ast.Expr) (float64, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return valueOf(l, findings, e.X)
	case *ast.BasicLit:
		return strconv.ParseFloat(e.Value, 64)
	case *ast.UnaryExpr:
		x, err := valueOf(l, findings, e.X)
		return -x, err
	case *ast.BinaryExpr:
		x, errX := valueOf(l, findings, e.X)
		y, errY := valueOf(l, findings, e.Y)
		switch e.Op {
		case token.ADD:
			x += y
		case token.SUB:
			x -= y
		case token.MUL:
			x *= y
		case token.QUO:
			x /= y
		default:
			errX = fmt.Errorf("no operator %s", e.Op)
		}
		return x, errors.Join(errX, errY)
	case *ast.CallExpr:
		var words []string
		var numbers []float64
		for _, a := range e.Args {
			if lit, ok := a.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				word, err := strconv.Unquote(lit.Value)
				if err != nil {
					return 0, err
				}
				words = append(words, word)
				continue
			}
			x, err := valueOf(l, findings, a)
			if err != nil {
				return 0, err
			}
			numbers = append(numbers, x)
		}
		return calledValue(l, findings, fmt.Sprint(e.Fun), words, numbers)
	}
	return 0, fmt.Errorf("no expression: %T", e)
}

func calledValue(l *lesson, findings map[string]finding, name string, words []string, x []float64) (float64, error) {
	switch signature := fmt.Sprintf("%s/%d/%d", name, len(words), len(x)); signature {
	case "cell/2/0":
		row, err := teachingRow(l.cells, words[0])
		if err != nil {
			return 0, err
		}
		value, ok := row[words[1]]
		if !ok {
			return 0, fmt.Errorf("no metric %q in %q", words[1], slices.Sorted(maps.Keys(row)))
		}
		return value, nil
	case "scene/3/0":
		return l.measure(words[0], words[1], words[2])
	case "field/1/0":
		return fieldOf(l.scene.Scenario, words[0])
	case "field/2/0":
		if words[0] == "built-in" {
			text, _ := scenario.Embedded(scenario.Default)
			return fieldOf(string(text), words[1])
		}
		text, err := os.ReadFile(filepath.Join("..", "..", words[0]))
		if err != nil {
			return 0, err
		}
		return fieldOf(string(text), words[1])
	case "document/1/0":
		return matchedNumber(l.scene.Scenario, words[0])
	case "prints/1/0":
		return matchedNumber(l.printed, words[0])
	case "provider/2/0":
		line, err := teachingRow(l.providers, words[0])
		if err != nil {
			return 0, err
		}
		return matchedNumber(line, words[1])
	case "set/2/0":
		sets := map[string][]string{}
		for _, p := range l.scene.Policies {
			sets[p.Name] = p.Set
		}
		set, err := teachingRow(sets, words[0])
		if err != nil {
			return 0, err
		}
		return matchedNumber(strings.Join(set, "\n"), `(?m)^`+regexp.QuoteMeta(words[1])+`=([\d.]+)`)
	case "price/2/0":
		line, err := teachingRow(l.prices, words[0])
		if err != nil {
			return 0, err
		}
		return matchedNumber(line, `\$([\d.]+) `+words[1]+`\b`)
	case "finding/1/0", "reference/1/0":
		f, ok := findings[words[0]]
		if !ok {
			return 0, fmt.Errorf("no finding %q", words[0])
		}
		if name == "finding" {
			return leadingNumber(f.measured)
		}
		return leadingNumber(f.reference)
	case "near/0/3":
		if math.Abs(x[0]-x[1]) > x[2]*math.Abs(x[1]) {
			return 0, fmt.Errorf("%v is not within %v of %v", x[0], x[2], x[1])
		}
		return x[0], nil
	case "given/0/3":
		if x[1] != x[2] {
			return 0, fmt.Errorf("%v is not %v", x[1], x[2])
		}
		return x[0], nil
	case "beyond/0/3":
		const z95 = 1.6448536269514722 // of the standard normal distribution
		sigma := math.Log(x[1]/x[0]) / z95
		return math.Erfc(math.Log(x[2]/x[0])/(sigma*math.Sqrt2)) / 2, nil
	case "exp/0/1":
		return math.Exp(x[0]), nil
	case "ln/0/1":
		return math.Log(x[0]), nil
	case "sqrt/0/1":
		return math.Sqrt(x[0]), nil
	case "floor/0/1":
		return math.Floor(x[0]), nil
	case "pow/0/2":
		return math.Pow(x[0], x[1]), nil
	case "round/0/2":
		return math.Round(x[0]/x[1]) * x[1], nil
	default:
		return 0, fmt.Errorf("no function %s", signature)
	}
}

func matchedNumber(text, pattern string) (float64, error) {
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if len(m) < 2 {
		return 0, fmt.Errorf("%q does not match in %s", pattern, text)
	}
	return strconv.ParseFloat(m[1], 64)
}

// teachingRow is the row of that name, or the only one with the name as a part of its own.
func teachingRow[V any](rows map[string]V, name string) (found V, err error) {
	if found, ok := rows[name]; ok {
		return found, nil
	}
	matches := 0
	for label, value := range rows {
		if strings.Contains(label, name) {
			found, matches = value, matches+1
		}
	}
	if matches != 1 {
		return found, fmt.Errorf("%d rows %q in %q", matches, name, slices.Sorted(maps.Keys(rows)))
	}
	return found, nil
}

// fieldOf is a number in a document.
func fieldOf(text, path string) (float64, error) {
	numbers, err := numbersOf(text)
	for _, n := range numbers {
		if n.Path == path {
			return n.Number, nil
		}
	}
	return 0, errors.Join(fmt.Errorf("no number at %s", path), err)
}

// numbersOf lists what `load` says of the numbers of a document.
func numbersOf(text string) ([]scenario.WrittenNumber, error) {
	args, _ := json.Marshal(map[string]any{"document": text, "set": []string{}})
	reply, ok := new(engine.Session).Call("load", args)
	if !ok {
		return nil, fmt.Errorf("%s", reply.JSON)
	}
	var loaded struct {
		Numbers []scenario.WrittenNumber `json:"numbers"`
	}
	return loaded.Numbers, json.Unmarshal(reply.JSON, &loaded)
}

// sceneNumbers are those that a scene writes in its document and its policies, without their units.
func sceneNumbers(scene explore.Scene) (texts []string) {
	numbers, _ := numbersOf(scene.Scenario) // none without a scene
	for _, n := range numbers {
		texts = append(texts, strconv.FormatFloat(n.Number, 'f', -1, 64))
	}
	for _, p := range scene.Policies {
		texts = append(texts, plainNumber.FindAllString(strings.Join(p.Set, " "), -1)...)
	}
	return texts
}

var plainNumber = regexp.MustCompile(`-?\d+(\.\d+)?(e-?\d+)?`)

func leadingNumber(text string) (float64, error) {
	return strconv.ParseFloat(plainNumber.FindString(text), 64)
}
