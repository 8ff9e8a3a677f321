package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// source is the text of a file, which can be read more than once.
type source struct {
	data []byte
	zip  bool   // compressed with gzip
	wide bool   // in UTF-16
	head []byte // the beginning of the text
}

// maxText bounds what a compressed file can become.
const maxText = 4 << 30

// headBytes is how much of a text is looked at to tell what it is.
const headBytes = 1 << 20

func open(data []byte) (*source, error) {
	s := &source{data: data, zip: bytes.HasPrefix(data, []byte{0x1f, 0x8b})}
	r, err := s.text()
	if err != nil {
		return nil, err
	}
	s.head, err = io.ReadAll(io.LimitReader(r, headBytes))
	if err != nil && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if len(bytes.TrimSpace(s.head)) == 0 {
		return nil, errors.New("the file is empty; want a header and a row for each call")
	}
	return s, nil
}

// packing says how the text is packed, for the end of the name of a layout.
func (s *source) packing() (out string) {
	if s.zip {
		out += " gzip"
	}
	if s.wide {
		out += " UTF-16"
	}
	return out
}

// text reads the file from its beginning, in UTF-8 without a byte order mark.
func (s *source) text() (io.Reader, error) {
	var r io.Reader = bytes.NewReader(s.data)
	if s.zip {
		zip, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("the file begins like gzip, but %w", err)
		}
		r = &bounded{zip, maxText}
	}
	b := bufio.NewReaderSize(r, 64<<10)
	mark, _ := b.Peek(3)
	switch {
	case bytes.HasPrefix(mark, []byte{0xff, 0xfe}), bytes.HasPrefix(mark, []byte{0xfe, 0xff}):
		s.wide = true
		return transform.NewReader(b, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()), nil
	case bytes.Equal(mark, []byte{0xef, 0xbb, 0xbf}):
		_, _ = b.Discard(3)
	}
	return b, nil
}

// bounded ends a text that grows too long.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the file has more than %d bytes when it is unpacked", int64(maxText))
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}

// place is the line and the column of a byte of the text, from 1.
func (s *source) place(offset int64) (line, column int) {
	line, column = 1, 1
	r, err := s.text()
	if err != nil {
		return line, column
	}
	b := bufio.NewReader(io.LimitReader(r, offset))
	for {
		c, err := b.ReadByte()
		if err != nil {
			return line, column
		}
		if column++; c == '\n' {
			line, column = line+1, 1
		}
	}
}
