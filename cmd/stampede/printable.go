package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"
)

// printable writes control characters, except line ends and tabs, as escapes such as \u001b: names and
// labels come from files, and a terminal would execute the codes in them. JSON keeps its value. Where
// colour is on, codes that set colours pass and are reset at the end of the line, so that a name can
// colour the rest of its line at most.
type printable struct {
	to     io.Writer
	colour bool
}

// colourCode is a code that sets a colour or a weight of the text.
var colourCode = regexp.MustCompile("^\x1b\\[[0-9;]*m")

const plainCode = "\x1b[0m"

func (p printable) Write(text []byte) (int, error) {
	if !bytes.ContainsFunc(text, isControl) {
		return p.to.Write(text)
	}
	var out []byte
	coloured := false
	for rest := text; len(rest) > 0; {
		if p.colour {
			if code := colourCode.Find(rest); code != nil {
				out, rest = append(out, code...), rest[len(code):]
				coloured = string(code) != plainCode
				continue
			}
		}
		r, size := utf8.DecodeRune(rest)
		switch {
		case isControl(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		case r == '\n' && coloured:
			out, coloured = append(append(out, plainCode...), '\n'), false
		default:
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
