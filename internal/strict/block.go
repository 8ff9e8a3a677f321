package strict

import (
	"strconv"
	"strings"
	"unicode"
)

// Block writes a mapping or a list as YAML: a field of a mapping on a line of its own, when it fits
// in width characters, and each item of a list in one line, in flow style.
func (n *Node) Block(indent, width int) string {
	var b strings.Builder
	pad := strings.Repeat(" ", indent)
	for i, item := range n.Items {
		flow := item.Quoted()
		if n.Kind == Sequence {
			b.WriteString(pad + "- " + flow + "\n")
			continue
		}
		key := pad + n.Keys[i].Name + ":"
		if item.Kind == Scalar || item.Kind == Null || len(item.Items) == 0 || len(key)+1+len(flow) <= width {
			b.WriteString(key + " " + flow + "\n")
		} else {
			b.WriteString(key + "\n" + item.Block(indent+2, width))
		}
	}
	return b.String()
}

// Quoted writes the node in flow style, and quotes each text that would not be read as it is.
func (n *Node) Quoted() string {
	return n.flow(func(text string) string {
		if text == "" || strings.ContainsAny(text, "[]{},\"'") || strings.Contains(text, ": ") ||
			strings.Contains(text, " #") || strings.ContainsRune("#&*!|>%@`?-:", rune(text[0])) ||
			strings.ContainsFunc(text, unicode.IsControl) {
			return strconv.Quote(text)
		}
		return text
	})
}
