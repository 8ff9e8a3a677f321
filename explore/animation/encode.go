package animation

import (
	"compress/lzw"
	"io"
)

// encoder writes frames as a GIF that loops. Of a frame only the smallest box that differs from the frame before is
// written, with clear where the two are equal. It holds one frame, not all of them as image/gif does: a browser has
// little memory.
//
// The format is GIF89a of CompuServe, 1990.
type encoder struct {
	to     io.Writer
	out    buffer // of the frame
	before []uint8
	first  bool
	lzw    *lzw.Writer
	codes  buffer // of the pixels, compressed
}

// buffer is bytes that are appended to.
type buffer []byte

func (b *buffer) Write(p []byte) (int, error) {
	b.put(p...)
	return len(p), nil
}

// put appends bytes. Inlined it would make the engine larger.
//
//go:noinline
func (b *buffer) put(p ...byte) { *b = append(*b, p...) }

// numbers appends numbers of 16 bits.
func (b *buffer) numbers(values ...int) {
	for _, n := range values {
		b.put(byte(n), byte(n>>8))
	}
}

// colourBits is the size of the palette: 2^colourBits colours.
const colourBits = 5

func newEncoder(w io.Writer, f *frame, p *palette) *encoder {
	e := &encoder{to: w, before: make([]uint8, len(f.pix)), first: true}
	e.out.put([]byte("GIF89a")...)
	e.out.numbers(f.wide, f.high)
	e.out.put(0x80|(colourBits-1)<<4|(colourBits-1), 0, 0) // a palette of this size for all frames
	for _, c := range p {
		e.out.put(byte(c>>16), byte(c>>8), byte(c))
	}
	e.out.put([]byte("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")...) // play without end
	e.lzw, _ = lzw.NewWriter(&e.codes, lzw.LSB, colourBits).(*lzw.Writer)
	return e
}

// add writes a frame that stays for so many hundredths of a second.
func (e *encoder) add(f *frame, delay int) error {
	r := e.differs(f)
	e.out.put(0x21, 0xf9, 4, 5) // keep what is there; one colour is transparent
	e.out.numbers(delay)
	e.out.put(clear, 0, 0x2c)
	e.out.numbers(r.x, r.y, r.wide, r.high)
	e.out.put(0, colourBits)
	e.codes = e.codes[:0]
	e.lzw.Reset(&e.codes, lzw.LSB, colourBits)
	for y := r.y; y < r.y+r.high; y++ {
		now, row := f.row(y)[r.x:][:r.wide], e.before[y*f.wide+r.x:][:r.wide]
		for i, p := range now { // row becomes what is written, then what was shown
			if p == row[i] && !e.first {
				row[i] = clear
			} else {
				row[i] = p
			}
		}
		e.lzw.Write(row)
		copy(row, now)
	}
	e.lzw.Close()
	for rest := e.codes; len(rest) > 0; { // in blocks behind their length
		n := min(len(rest), 255)
		e.out.put(byte(n))
		e.out.put(rest[:n]...)
		rest = rest[n:]
	}
	e.out.put(0)
	e.first = false
	return e.flush()
}

func (e *encoder) flush() error {
	_, err := e.to.Write(e.out)
	e.out = e.out[:0]
	return err
}

// differs is the smallest box that differs from the frame before: all of the first frame, and never none.
func (e *encoder) differs(f *frame) box {
	if e.first {
		return box{0, 0, f.wide, f.high}
	}
	left, right, top, bottom := f.wide, 0, 0, 0
	for y := range f.high {
		now, was := f.row(y), e.before[y*f.wide:][:f.wide]
		if string(now) == string(was) {
			continue
		}
		if bottom == 0 {
			top = y
		}
		bottom = y + 1
		for i := range left {
			if now[i] != was[i] {
				left = i
				break
			}
		}
		for i := f.wide - 1; i >= right; i-- {
			if now[i] != was[i] {
				right = i + 1
				break
			}
		}
	}
	if bottom == 0 {
		return box{0, 0, 1, 1}
	}
	return box{left, top, right - left, bottom - top}
}

func (e *encoder) end() error {
	e.out.put(0x3b)
	return e.flush()
}
