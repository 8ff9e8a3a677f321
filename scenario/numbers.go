package scenario

import (
	"strconv"
	"strings"
	"unicode"

	"stampede/internal/strict"
)

// WrittenNumber is a field of a document whose value is a number, with or without a unit.
type WrittenNumber struct {
	Path   string  `json:"path"`
	Text   string  `json:"text"`   // as it is written, such as $10/10m
	Before string  `json:"before"` // the number: $, or nothing
	Number float64 `json:"number"`
	Unit   string  `json:"unit"` // what stands behind it, such as /10m; may be empty
}

// Numbers lists the numbers in the document, in the order in which they are written, without those of its
// sweep and of the run itself. The 0 of a time has the unit s.
func (t *Template) Numbers() (numbers []WrittenNumber) {
	var walk func(n *strict.Node, path string)
	walk = func(n *strict.Node, path string) {
		for i, item := range n.Items {
			at := strict.Join(path, strconv.Itoa(i))
			if n.Kind == strict.Mapping {
				at = strict.Join(path, n.Keys[i].Name)
			}
			walk(item, at)
		}
		if n.Kind != strict.Scalar {
			return
		}
		before, number, unit := splitNumber(n.Text)
		if x, err := strconv.ParseFloat(strings.ReplaceAll(number, "_", ""), 64); err == nil {
			if n.Text == "0" && t.isTime(path) {
				unit = "s"
			}
			numbers = append(numbers, WrittenNumber{path, n.Text, before, x, unit})
		}
	}
	for i, key := range t.document.Keys {
		switch key.Name {
		case "name", "description", "seed", "replications", "goals", "sweep", "uncertain", "event_budget":
		default:
			walk(t.document.Items[i], key.Name)
		}
	}
	return numbers
}

// isTime reports whether a field is a time: nothing else is read from 0s.
func (t *Template) isTime(path string) bool {
	_, err := t.Over(path + "=0s")
	return err == nil
}

// splitNumber takes a text apart: $ or nothing, a number, and a unit or nothing. The number is empty where the
// text is something else, such as a range or a date.
func splitNumber(text string) (before, number, unit string) {
	rest, dollars := strings.CutPrefix(text, "$")
	if dollars {
		before = "$"
	}
	unit = strings.TrimLeft(rest, digits+"_")
	if behind, found := strings.CutPrefix(unit, "."); found {
		if fraction := strings.TrimLeft(behind, digits); fraction != behind {
			unit = fraction
		}
	}
	number = rest[:len(rest)-len(unit)]
	inUnit := func(r rune) bool { return unicode.IsLetter(r) || r == '%' || r == '/' }
	if number == "" || number[0] < '0' || number[0] > '9' || unit != "" && strings.IndexFunc(unit, inUnit) != 0 {
		return "", "", ""
	}
	return before, number, unit
}
