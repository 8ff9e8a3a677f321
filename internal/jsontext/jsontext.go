// Package jsontext writes the scalars of JSON. What needs no more goes without encoding/json, which is large.
package jsontext

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// String is a text in JSON, with <, > and & as they are. Bytes that are not UTF-8 become U+FFFD.
func String(s string) string {
	const hex = "0123456789abcdef"
	out := make([]byte, 0, len(s)+2)
	out = append(out, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\n':
			out = append(out, `\n`...)
		case r == '\r':
			out = append(out, `\r`...)
		case r == '\t':
			out = append(out, `\t`...)
		case r == '\b':
			out = append(out, `\b`...)
		case r == '\f':
			out = append(out, `\f`...)
		case r < ' ':
			out = append(out, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		case r == '\u2028' || r == '\u2029': // ends of lines in JavaScript
			out = append(out, `\u202`...)
			out = append(out, hex[r&15])
		case r == utf8.RuneError:
			out = append(out, "\ufffd"...)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return string(append(out, '"'))
}

// Number is a finite number as JavaScript writes it: with an exponent below 1e-6 and from 1e21 on.
func Number(x float64) string {
	if a := math.Abs(x); a == 0 || 1e-6 <= a && a < 1e21 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	text := strconv.FormatFloat(x, 'e', -1, 64)
	if n := len(text); text[n-4:n-1] == "e-0" {
		text = text[:n-2] + text[n-1:]
	}
	return text
}
