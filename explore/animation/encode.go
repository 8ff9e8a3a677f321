package animation

import (
	"bufio"
	"compress/lzw"
	"image"
)

// encoder writes frames as a GIF that loops. Of a frame only the smallest rectangle that differs from the frame
// before is written, with clear where the two are equal. It holds one frame, not all of them as image/gif does:
// a browser has little memory.
//
// The format is GIF89a of CompuServe, 1990.
type encoder struct {
	w      *bufio.Writer
	before []uint8
	bounds image.Rectangle
	first  bool
	lzw    *lzw.Writer
	part   []uint8 // the rectangle that differs
}

// colourBits is the size of the palette: 2^colourBits colours.
const colourBits = 5

func newEncoder(w *bufio.Writer, frame *image.Paletted) *encoder {
	e := &encoder{w: w, bounds: frame.Rect, before: make([]uint8, len(frame.Pix)), first: true}
	w.WriteString("GIF89a")
	e.numbers(frame.Rect.Dx(), frame.Rect.Dy())
	w.Write([]byte{0x80 | (colourBits-1)<<4 | (colourBits - 1), 0, 0}) // there is a global palette, of this size
	for _, colour := range frame.Palette {
		r, g, b, _ := colour.RGBA()
		w.Write([]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)})
	}
	w.WriteString("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00") // play without end
	e.lzw = lzw.NewWriter(nil, lzw.LSB, colourBits).(*lzw.Writer)
	return e
}

// numbers writes numbers of 16 bits.
func (e *encoder) numbers(values ...int) {
	for _, n := range values {
		e.w.WriteByte(byte(n))
		e.w.WriteByte(byte(n >> 8))
	}
}

// add writes a frame that stays for so many hundredths of a second.
func (e *encoder) add(frame *image.Paletted, delay int) error {
	r := e.differs(frame)
	e.part = e.part[:0]
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for i := y*frame.Stride + r.Min.X; i < y*frame.Stride+r.Max.X; i++ {
			p := frame.Pix[i]
			if !e.first && p == e.before[i] {
				p = clear
			}
			e.part = append(e.part, p)
		}
	}
	copy(e.before, frame.Pix)
	e.first = false
	e.w.WriteString("\x21\xf9\x04\x05") // keep what is there; one colour is transparent
	e.numbers(delay)
	e.w.Write([]byte{clear, 0, 0x2c})
	e.numbers(r.Min.X, r.Min.Y, r.Dx(), r.Dy())
	e.w.Write([]byte{0, colourBits})
	blocks := &blocks{w: e.w}
	e.lzw.Reset(blocks, lzw.LSB, colourBits)
	e.lzw.Write(e.part)
	e.lzw.Close()
	blocks.flush()
	return e.w.WriteByte(0) // the error of any write before as well
}

// differs is the smallest rectangle that differs from the frame before: all of the first frame, and never none.
func (e *encoder) differs(frame *image.Paletted) image.Rectangle {
	if e.first {
		return e.bounds
	}
	r := image.Rectangle{Min: e.bounds.Max}
	for y := 0; y < e.bounds.Max.Y; y++ {
		now, was := frame.Pix[y*frame.Stride:][:e.bounds.Max.X], e.before[y*frame.Stride:][:e.bounds.Max.X]
		if string(now) == string(was) {
			continue
		}
		left, right := 0, e.bounds.Max.X
		for now[left] == was[left] {
			left++
		}
		for now[right-1] == was[right-1] {
			right--
		}
		r.Min.X, r.Max.X = min(r.Min.X, left), max(r.Max.X, right)
		r.Min.Y, r.Max.Y = min(r.Min.Y, y), y+1
	}
	if r.Max.Y == 0 {
		return image.Rect(0, 0, 1, 1)
	}
	return r
}

func (e *encoder) end() { e.w.WriteByte(0x3b) }

// blocks writes bytes in blocks of at most 255, each behind its length.
type blocks struct {
	w    *bufio.Writer
	data [255]byte
	n    int
}

func (b *blocks) WriteByte(c byte) error {
	b.data[b.n] = c
	if b.n++; b.n == len(b.data) {
		return b.flush()
	}
	return nil
}

// Write implements io.Writer.
func (b *blocks) Write(p []byte) (int, error) {
	for _, c := range p {
		if err := b.WriteByte(c); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush is part of the interface that package lzw writes to.
func (b *blocks) Flush() error { return nil }

func (b *blocks) flush() error {
	if b.n == 0 {
		return nil
	}
	b.w.WriteByte(byte(b.n))
	_, err := b.w.Write(b.data[:b.n])
	b.n = 0
	return err
}
