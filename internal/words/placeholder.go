package words

import "strings"

// Placeholder is how a name stands in a text that is filled in: between two marks, such as {wait}. A name is
// small letters, digits and underscores; what else stands between the marks is text.
type Placeholder struct{ Open, Close byte }

// Fill replaces each name by its value. Names in values are not replaced.
func (p Placeholder) Fill(text string, value func(name string) string) string {
	var out strings.Builder
	for {
		open := strings.IndexByte(text, p.Open)
		if open < 0 {
			out.WriteString(text)
			return out.String()
		}
		name, ok := p.first(text[open:])
		if !ok {
			out.WriteString(text[:open+1])
			text = text[open+1:]
			continue
		}
		out.WriteString(text[:open])
		out.WriteString(value(name))
		text = text[open+len(name)+2:]
	}
}

// Name is that of a text which is one placeholder and nothing else.
func (p Placeholder) Name(text string) (name string, ok bool) {
	name, ok = p.first(text)
	return name, ok && len(text) == len(name)+2
}

// first is the name with which a text begins, between its marks.
func (p Placeholder) first(text string) (name string, ok bool) {
	if text == "" || text[0] != p.Open {
		return "", false
	}
	end := 1
	for end < len(text) && inName(text[end]) {
		end++
	}
	return text[1:end], end > 1 && end < len(text) && text[end] == p.Close
}

func inName(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' }
