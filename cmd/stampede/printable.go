package main

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// printable passes text on with its control characters but line ends and tabs written out, as
// \u001b: names and labels come from files, and a terminal would obey them. JSON stays the same
// value.
type printable struct{ to io.Writer }

func (p printable) Write(text []byte) (int, error) {
	if !bytes.ContainsFunc(text, isControl) {
		return p.to.Write(text)
	}
	var out []byte
	for rest := text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if isControl(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, rest[:size]...)
		}
		rest = rest[size:]
	}
	if _, err := p.to.Write(out); err != nil {
		return 0, err
	}
	return len(text), nil
}

// isControl reports whether a character is a control character of ASCII or of Latin-1, or one that
// turns the direction of writing.
func isControl(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
