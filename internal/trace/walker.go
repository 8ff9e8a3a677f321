package trace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// walker walks through values and picks the wanted ones.
type walker struct {
	dec     *jsontext.Decoder
	columns []string
	rowsAt  []string
	arrays  bool
	add     func(*row, error) error
	row     row
	at      []int64 // where the cells begin
	buf     []byte  // text of the cells
	ends    [][2]int
	active  []wanted // a stack of those that may be below
	inner   *walker  // of JSON inside text
}

// wanted is a column and what of its name is still to be found.
type wanted struct {
	column int
	rest   string
}

func newWalker(columns []string) *walker {
	return &walker{
		dec:     jsontext.NewDecoder(bytes.NewReader(nil), lenient...),
		columns: columns,
		row:     row{cells: make([]string, len(columns))},
		at:      make([]int64, len(columns)),
		ends:    make([][2]int, len(columns)),
	}
}

// top walks through a value that is a row, or holds rows at the ends of paths.
func (w *walker) top(paths []string) error {
	switch w.dec.PeekKind() {
	case '[':
		if _, err := w.dec.ReadToken(); err != nil {
			return err
		}
		for w.dec.PeekKind() != ']' {
			if err := w.top(paths); err != nil {
				return err
			}
		}
		_, err := w.dec.ReadToken()
		return err
	case '{':
	default:
		return w.dec.SkipValue()
	}
	if len(paths) == 0 {
		if w.arrays {
			return w.transposed()
		}
		return w.object()
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for w.dec.PeekKind() != '}' {
		name, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		var below []string
		found := false
		for _, path := range paths {
			first, rest, more := strings.Cut(path, ".")
			if first == name.String() {
				if found = true; more {
					below = append(below, rest)
				}
			}
		}
		if !found {
			err = w.dec.SkipValue()
		} else {
			err = w.top(below)
		}
		if err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

// object reads a row.
func (w *walker) object() error {
	w.clear()
	for i, name := range w.columns {
		w.active = append(w.active, wanted{i, name})
	}
	if err := w.members(w.active); err != nil {
		return err
	}
	return w.add(w.filled(), nil)
}

func (w *walker) clear() {
	w.active, w.buf = w.active[:0], w.buf[:0]
	for i := range w.ends {
		w.ends[i] = [2]int{}
	}
}

// filled is the row with the cells that were found. They share one string.
func (w *walker) filled() *row {
	text := string(w.buf)
	for i, end := range w.ends {
		w.row.cells[i] = text[end[0]:end[1]]
	}
	return &w.row
}

// members walks through an object.
func (w *walker) members(active []wanted) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for w.dec.PeekKind() != '}' {
		raw, err := w.dec.ReadValue()
		if err != nil {
			return err
		}
		name := unquoted(raw)
		bottom, hit := len(w.active), -1
		for _, c := range active {
			if len(c.rest) < len(name) || c.rest[:len(name)] != string(name) {
				continue
			}
			if len(c.rest) == len(name) {
				hit = c.column
				w.active = append(w.active, wanted{c.column, ""})
			} else if c.rest[len(name)] == '.' {
				w.active = append(w.active, wanted{c.column, c.rest[len(name)+1:]})
			}
		}
		below := w.active[bottom:]
		switch {
		case len(below) == 0:
			err = w.dec.SkipValue()
		case hit >= 0 || w.dec.PeekKind() != '{' && w.dec.PeekKind() != '[':
			err = w.value(below)
		case w.dec.PeekKind() == '{':
			err = w.members(below)
		default:
			err = w.attributes(below)
		}
		w.active = w.active[:bottom]
		if err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

// unquoted is the text of a JSON string.
func unquoted(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return text
}

// value takes a value for the columns that end here, and looks into text that is JSON for the others.
func (w *walker) value(below []wanted) error {
	raw, err := w.dec.ReadValue()
	if err != nil || raw.Kind() == 'n' {
		return err
	}
	for _, c := range below {
		if c.rest == "" {
			w.keep(c.column, raw, w.dec.InputOffset()-int64(len(raw)))
			continue
		}
		text := raw
		if raw.Kind() == '"' {
			text = unquoted(raw)
		}
		if w.inner == nil {
			w.inner = newWalker(nil)
		}
		if found := w.inner.inside(string(text), c.rest); found != "" {
			start := len(w.buf)
			w.buf = append(w.buf, found...)
			w.ends[c.column] = [2]int{start, len(w.buf)}
		}
	}
	return nil
}

// keep keeps the text of a value as a cell.
func (w *walker) keep(column int, raw jsontext.Value, at int64) {
	start := len(w.buf)
	if raw.Kind() == '"' {
		w.buf, _ = jsontext.AppendUnquote(w.buf, raw)
	} else {
		w.buf = append(w.buf, raw...)
	}
	w.at[column], w.ends[column] = at, [2]int{start, len(w.buf)}
}

// inside is the value at a path in text that is JSON, empty if there is none.
func (w *walker) inside(text, path string) string {
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, "{") {
		return ""
	}
	w.dec.Reset(strings.NewReader(text), lenient...)
	if len(w.ends) == 0 {
		w.ends, w.at, w.row.cells = make([][2]int, 1), make([]int64, 1), make([]string, 1)
	}
	w.clear()
	w.active = append(w.active, wanted{0, path})
	if w.members(w.active) != nil {
		return ""
	}
	return w.filled().cells[0]
}

// attributes walks through a list of {key, value}, as OpenTelemetry writes attributes.
func (w *walker) attributes(below []wanted) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for w.dec.PeekKind() != ']' {
		raw, err := w.dec.ReadValue()
		if err != nil {
			return err
		}
		if raw.Kind() != '{' {
			continue
		}
		key, value, ok := attribute(raw)
		for _, c := range below {
			if ok && c.rest == key && value.Kind() != 'n' {
				w.keep(c.column, value, w.dec.InputOffset()-int64(len(raw)))
			}
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

// attribute reads {key, value: {stringValue: ...}}.
func attribute(raw []byte) (key string, value jsontext.Value, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient...)
	if _, err := dec.ReadToken(); err != nil {
		return "", nil, false
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return "", nil, false
		}
		word, kind := name.String(), dec.PeekKind()
		inner, err := dec.ReadValue()
		if err != nil {
			return "", nil, false
		}
		switch {
		case word == "key" && kind == '"':
			key = string(unquoted(inner))
		case word == "value" && kind == '{':
			of := jsontext.NewDecoder(bytes.NewBuffer(inner), lenient...)
			if _, err := of.ReadToken(); err != nil || of.PeekKind() != '"' {
				continue
			}
			if _, err := of.ReadToken(); err != nil {
				return "", nil, false
			}
			if value, err = of.ReadValue(); err != nil {
				return "", nil, false
			}
			value = slices.Clone(value)
		}
	}
	return key, value, key != "" && value != nil
}

// transposed reads an object of arrays, one for each column, as rows.
func (w *walker) transposed() error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	lists := make([]*jsontext.Decoder, len(w.columns))
	starts := make([]int64, len(w.columns))
	for w.dec.PeekKind() != '}' {
		name, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		i := slices.Index(w.columns, name.String())
		if i < 0 || w.dec.PeekKind() != '[' {
			if err := w.dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		raw, err := w.dec.ReadValue()
		if err != nil {
			return err
		}
		starts[i] = w.dec.InputOffset() - int64(len(raw))
		lists[i] = jsontext.NewDecoder(bytes.NewReader(slices.Clone(raw)), lenient...)
		if _, err := lists[i].ReadToken(); err != nil {
			return err
		}
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for {
		w.clear()
		more, ended := false, ""
		for i, list := range lists {
			switch {
			case list == nil:
			case list.PeekKind() == ']':
				ended = w.columns[i]
			default:
				more = true
				raw, err := list.ReadValue()
				if err != nil {
					return err
				}
				if raw.Kind() != 'n' {
					w.keep(i, raw, starts[i]+list.InputOffset()-int64(len(raw)))
				}
			}
		}
		if !more {
			return nil
		}
		if ended != "" {
			return fmt.Errorf("the array %q is shorter than the others; want one value for each call", ended)
		}
		if err := w.add(w.filled(), nil); err != nil {
			return err
		}
	}
}
