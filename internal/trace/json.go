package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// document is JSON: objects, one after the other or in arrays, each of them a row or around rows.
type document struct {
	src    *source
	lines  bool     // a value on each line, so that a bad one does not end the file
	rowsAt []string // paths to the arrays of rows; none: each object is a row
	arrays bool     // each object holds columns: an array for each
	known  []string // columns of the first rows
	lists  []string // paths to arrays of objects
}

// sampled is how many rows, and items of arrays, are looked at to find the columns.
const sampled = 200

func newDocument(src *source) (*document, error) {
	d := &document{src: src}
	head := bytes.TrimLeft(src.head, " \t\r\n")
	if line, more, cut := bytes.Cut(head, []byte("\n")); cut && head[0] == '{' {
		d.lines = jsontext.Value(line).IsValid(lenient...) && len(bytes.TrimSpace(more)) > 0
	}
	text, err := src.text()
	if err != nil {
		return nil, err
	}
	dec := jsontext.NewDecoder(text, lenient...)
	for n := 0; n < sampled && dec.InputOffset() < headBytes; n++ {
		if dec.PeekKind() == 0 {
			break
		}
		if err := d.collect(dec, "", 0); err != nil {
			if n == 0 && len(d.known) == 0 {
				return nil, d.mistake(dec, err)
			}
			break
		}
	}
	return d, nil
}

var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// maxDepth bounds the nesting that is looked into.
const maxDepth = 12

// collect lists the names of the values in a value. Arrays add nothing to a name.
func (d *document) collect(dec *jsontext.Decoder, prefix string, depth int) error {
	kind := dec.PeekKind()
	if depth > maxDepth || kind != '{' && kind != '[' {
		if prefix != "" && !slices.Contains(d.known, prefix) && len(d.known) < 1000 {
			d.known = append(d.known, prefix)
		}
		return dec.SkipValue()
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for n := 0; ; n++ {
		if kind = dec.PeekKind(); kind == '}' || kind == ']' {
			_, err := dec.ReadToken()
			return err
		}
		if kind == 0 || dec.StackDepth() == 0 {
			_, err := dec.ReadToken()
			return err
		}
		name := prefix
		container, _ := dec.StackIndex(dec.StackDepth())
		if container == '{' {
			token, err := dec.ReadToken()
			if err != nil {
				return err
			}
			name = join(prefix, token.String())
		} else if n >= sampled {
			if err := dec.SkipValue(); err != nil {
				return err
			}
			continue
		} else if strings.HasSuffix(prefix, "attributes") && kind == '{' {
			raw, err := dec.ReadValue()
			if err != nil {
				return err
			}
			if key, _, ok := attribute(raw); ok {
				if name = join(prefix, key); !slices.Contains(d.known, name) && len(d.known) < 1000 {
					d.known = append(d.known, name)
				}
			}
			continue
		}
		if kind == '{' && container == '[' && prefix != "" && !slices.Contains(d.lists, prefix) && len(d.lists) < 100 {
			d.lists = append(d.lists, prefix)
		}
		if err := d.collect(dec, name, depth+1); err != nil {
			return err
		}
	}
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

func (d *document) layout() string {
	if d.lines {
		return "JSON lines"
	}
	return "JSON"
}

// names lists the columns of the rows.
func (d *document) names() (out []string) {
	if len(d.rowsAt) == 0 {
		return d.known
	}
	for _, name := range d.known {
		for _, at := range d.rowsAt {
			if rest, ok := strings.CutPrefix(name, at+"."); ok && !slices.Contains(out, rest) {
				out = append(out, rest)
			}
		}
	}
	return out
}

func (d *document) each(columns []string, add func(*row, error) error) error {
	w := newWalker(columns)
	w.rowsAt, w.arrays, w.add = d.rowsAt, d.arrays, add
	text, err := d.src.text()
	if err != nil {
		return err
	}
	if d.lines {
		return d.eachLine(text, w)
	}
	w.dec.Reset(text, lenient...)
	w.row.place = func(column int) (int, int) { return d.src.place(w.at[column]) }
	for {
		kind := w.dec.PeekKind()
		if kind == 0 {
			if _, err := w.dec.ReadToken(); err != io.EOF {
				return d.torn(w, err)
			}
			return nil
		}
		if err := w.top(w.rowsAt); err != nil {
			return d.torn(w, err)
		}
	}
}

// torn ends the rows at a mistake in JSON, after which nothing can be read.
func (d *document) torn(w *walker, err error) error {
	if isSyntax(err) {
		return w.add(&w.row, rowError{d.mistake(w.dec, err)})
	}
	return err
}

// eachLine reads a value from each line.
func (d *document) eachLine(text io.Reader, w *walker) error {
	b := bufio.NewReaderSize(text, 64<<10)
	line := 0
	w.row.place = func(column int) (int, int) { return line, int(w.at[column]) + 1 }
	var long []byte
	var reader bytes.Reader
	for {
		line++
		text, err := b.ReadSlice('\n')
		for long = long[:0]; err == bufio.ErrBufferFull; text, err = b.ReadSlice('\n') {
			if long = append(long, text...); len(long) > maxLineBytes {
				return fmt.Errorf("line %d: a line of more than %d bytes", line, maxLineBytes)
			}
		}
		if len(long) > 0 {
			long = append(long, text...)
			text = long
		}
		if err != nil && err != io.EOF {
			return err
		}
		if len(bytes.TrimSpace(text)) > 0 {
			reader.Reset(text)
			w.dec.Reset(&reader, lenient...)
			bad := w.top(w.rowsAt)
			if bad == nil && w.dec.PeekKind() != 0 {
				bad = &jsontext.SyntacticError{Err: errors.New("more than one value on the line")}
			}
			if isSyntax(bad) {
				bad = w.add(&w.row, rowError{fmt.Errorf("line %d: %w", line, plain(bad))})
			}
			if bad != nil {
				return bad
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

const maxLineBytes = 64 << 20

func isSyntax(err error) bool {
	if err == nil {
		return false
	}
	var syntax *jsontext.SyntacticError
	return errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF)
}

// plain is what is wrong with JSON, without the place, which is said elsewhere.
func plain(err error) error {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) && syntax.Err != nil {
		return fmt.Errorf("no valid JSON: %w", syntax.Err)
	}
	return fmt.Errorf("no valid JSON: %w", err)
}

// mistake adds the place to a mistake in JSON.
func (d *document) mistake(dec *jsontext.Decoder, err error) error {
	if !isSyntax(err) {
		return err
	}
	offset := dec.InputOffset()
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		offset = syntax.ByteOffset
	}
	line, column := d.src.place(offset)
	return fmt.Errorf("line %d, column %d: %w", line, column, plain(err))
}
