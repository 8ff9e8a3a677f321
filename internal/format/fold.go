package format

import (
	"strings"
	"unicode/utf8"
)

// Fold breaks the lines of a text that are longer than width. What follows is indented by two more
// spaces than the line, or up to its last column where it has columns, two or more spaces apart.
func Fold(text string, width int) string {
	return foldLines(text, width, false, func(line string) string {
		if gap := strings.LastIndex(strings.TrimRight(line, " "), "  "); gap > len(indentOf(line)) && gap < width*2/3 {
			return strings.Repeat(" ", utf8.RuneCountInString(line[:gap+2]))
		}
		return indentOf(line) + "  "
	})
}

// FoldYAML breaks the lines of a YAML text that are longer than width and keeps its meaning: comments
// go on in comments, folded blocks with the same indent, and other values deeper than their key. A
// comment behind a value that is too long moves above it; lines of literal blocks stay.
func FoldYAML(text string, width int) string {
	text = liftComments(text, width)
	block, folded := -1, false // the indent of the key of the block scalar that a line is in
	return foldLines(text, width, true, func(line string) string {
		indent := indentOf(line)
		if strings.TrimSpace(line) != "" && len(indent) <= block {
			block = -1
		}
		within := block >= 0
		end := strings.TrimRight(line, "-+ ")
		if !within && (strings.HasSuffix(end, ": >") || strings.HasSuffix(end, ": |")) {
			block, folded = len(indent), strings.HasSuffix(end, ">")
			return ""
		}
		switch {
		case within && folded:
			return indent
		case within:
			return ""
		case strings.HasPrefix(line[len(indent):], "#"):
			rest := line[len(indent)+1:]
			return indent + "#" + indentOf(rest) + "  "
		}
		return indent + "    "
	})
}

// liftComments moves the comments of long lines to lines of their own.
func liftComments(text string, width int) string {
	lines := strings.Split(text, "\n")
	var out []string
	for _, line := range lines {
		indent := indentOf(line)
		value, comment, found := strings.Cut(line[len(indent):], " # ")
		if found && value != "" && !strings.Contains(comment, `"`) && utf8.RuneCountInString(line) > width {
			out = append(out, indent+"# "+comment)
			line = indent + strings.TrimRight(value, " ")
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }

// foldLines breaks long lines at single spaces; next is asked for each line what stands before its
// further parts, and says nothing where the line stays. In YAML, lists and mappings between brackets are broken
// behind a comma, where there is one.
func foldLines(text string, width int, yaml bool, next func(line string) string) string {
	lines := strings.Split(text, "\n")
	var out []string
	for _, line := range lines {
		before := next(line)
		for before != "" && utf8.RuneCountInString(line) > width {
			commas := yaml && strings.ContainsAny(line, "[]{}") && !strings.HasPrefix(strings.TrimLeft(line, " "), "#")
			at := breakAt(line, len(before), width, commas)
			if at < 0 {
				break
			}
			out = append(out, line[:at])
			line = before + line[at+1:]
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// breakAt is the place of the last single space behind which what comes may begin a line, within
// the width or else the first beyond it; -1 for none. With commas it is one behind a comma, where there is one.
func breakAt(line string, from, width int, commas bool) int {
	anywhere, behindComma, column := -1, -1, 0
	for i, r := range line {
		if r == ' ' && i > from && breaksAt(line, i) {
			if column <= width || anywhere < 0 {
				anywhere = i
			}
			if line[i-1] == ',' && column <= width {
				behindComma = i
			}
		}
		column++
	}
	if commas && behindComma >= 0 {
		return behindComma
	}
	return anywhere
}

// breaksAt reports whether the space at i stands alone before a character that may begin a line.
func breaksAt(line string, i int) bool {
	return i+1 < len(line) && line[i-1] != ' ' && !strings.ContainsRune(" #-?:|>&*!%@`", rune(line[i+1]))
}
