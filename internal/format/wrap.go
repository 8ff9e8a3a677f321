package format

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text between words into lines of at most width characters; a word that is longer
// stands on a line of its own. Line ends of the text stay, and a line that begins with a space or a
// tab is kept as it is.
func Wrap(text string, width int) (lines []string) {
	for paragraph := range strings.SplitSeq(text, "\n") {
		if paragraph == "" || strings.ContainsAny(paragraph[:1], " \t") {
			lines = append(lines, paragraph)
			continue
		}
		line, length := "", 0
		for _, word := range strings.Fields(paragraph) {
			n := utf8.RuneCountInString(word)
			switch {
			case line == "":
				line, length = word, n
			case length+1+n <= width:
				line, length = line+" "+word, length+1+n
			default:
				lines = append(lines, line)
				line, length = word, n
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// Indent writes lines under each other with so many spaces before all but the first.
func Indent(lines []string, spaces int) string {
	return strings.Join(lines, "\n"+strings.Repeat(" ", spaces))
}

// Cut is the text when it has at most width characters, or else its beginning with an ellipsis.
func Cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	if width <= 0 {
		return ""
	}
	return strings.TrimRight(string([]rune(text)[:width-1]), " ") + "…"
}
