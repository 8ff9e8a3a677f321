package scenario

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// textColumns is the width of the printed explanation of a field.
const textColumns = 80

// Print writes the documentation of a field for a terminal.
func (f Field) Print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n%s\n\n", f.Path, wrap(f.Meaning, "  ", textColumns))
	row := func(label, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %-9s %s\n", label,
				strings.TrimLeft(wrap(text, strings.Repeat(" ", 12), textColumns), " "))
		}
	}
	row("Value", f.Value)
	for _, word := range f.Words {
		row("", word)
	}
	row("Unit", f.Unit)
	row("Default", f.Default)
	if f.Required != "" {
		row("Required", f.Required)
	}
	if f.typ == reflect.TypeFor[struct{}]() { // written without a mapping of its own
		outer := Field{Path: strings.TrimSuffix(f.Path, "."+f.Name())}
		row("Example", outer.Name()+": "+f.Name())
	} else {
		row("Example", f.Name()+": "+f.Example)
	}
	if len(f.Fields) > 0 {
		fmt.Fprintln(w, "\nFields")
		PrintFields(w, f.Fields)
	}
}

// PrintFields lists fields with the first sentence on each.
func PrintFields(w io.Writer, fields []Field) {
	longest := 0
	for _, f := range fields {
		longest = max(longest, len(f.Name()))
	}
	for _, f := range fields {
		text := f.Meaning
		if first, _, more := strings.Cut(text, ". "); more {
			text = first + "."
		}
		indent := strings.Repeat(" ", longest+4)
		fmt.Fprintf(w, "  %-*s  %s\n", longest, f.Name(), strings.TrimLeft(wrap(text, indent, textColumns), " "))
	}
}

// wrap breaks a text into lines of at most so many columns, each after an indent.
func wrap(text, indent string, columns int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		width := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+width > columns:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}
