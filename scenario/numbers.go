package scenario

import (
	"regexp"
	"strconv"
	"strings"

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

var numberPattern = regexp.MustCompile(`^(\$?)([0-9][0-9_]*(?:\.[0-9]+)?)((?:[a-zA-Zµ%].*|/.*)?)$`)

// Numbers lists the numbers in the document, in the order in which they are written, without those of its
// sweep and of the run itself.
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
		m := numberPattern.FindStringSubmatch(n.Text)
		if m == nil {
			return
		}
		if x, err := strconv.ParseFloat(strings.ReplaceAll(m[2], "_", ""), 64); err == nil {
			numbers = append(numbers, WrittenNumber{path, n.Text, m[1], x, m[3]})
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
