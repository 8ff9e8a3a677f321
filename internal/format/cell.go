package format

import (
	"strconv"
	"strings"
)

// Cell is a text for a cell of CSV. Spreadsheets take what begins with = + - or @ for a formula,
// so an apostrophe goes before it, as before one that is there already: [textOf] takes it off. Numbers
// and percentages stay as they are.
func Cell(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r'", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64); err == nil {
		return s
	}
	return "'" + s
}

// CellText is the text of a cell.
func CellText(cell []byte) []byte {
	if len(cell) > 0 && cell[0] == '\'' {
		return cell[1:]
	}
	return cell
}

// Markdown escapes what would become markup.
func Markdown(s string) string { return markup.Replace(s) }

var markup = strings.NewReplacer(`\`, `\\`, "`", "\\`", "<", `\<`, "[", `\[`, "|", `\|`, "\n", " ", "\r", " ")
