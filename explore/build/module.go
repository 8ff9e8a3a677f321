package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
)

// The binary format of WebAssembly, chapter 5 of the specification: a head, then sections.
const (
	headBytes   = 8 // magic and version
	dataSection = 11
)

type section struct {
	id   byte
	body []byte
}

var errModule = errors.New("not a WebAssembly module")

func sectionsOf(module []byte) (sections []section, err error) {
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errModule
	}
	for rest := module[headBytes:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errModule
		}
		body := rest[1+n:][:size]
		sections = append(sections, section{rest[0], body})
		rest = rest[1+n+len(body):]
	}
	return sections, nil
}

// Bytes of an active segment of memory 0, whose address is a constant.
const (
	activeSegment = 0x00
	constant      = 0x41 // i32.const
	end           = 0x0b
)

// maxMemory bounds the memory of the engine.
const maxMemory = 64 << 20

// readMemory lays out the segments of a section of data.
func readMemory(body []byte) (*memory, error) {
	count, n := binary.Uvarint(body)
	if n <= 0 {
		return nil, errModule
	}
	body = body[n:]
	var segments []memory
	for range count {
		if len(body) < 2 || body[0] != activeSegment || body[1] != constant {
			return nil, errModule
		}
		address, n := signed(body[2:])
		body = body[2+n:]
		if n == 0 || address < 0 || address > maxMemory || len(body) == 0 || body[0] != end {
			return nil, errModule
		}
		size, n := binary.Uvarint(body[1:])
		if n <= 0 || size > uint64(len(body)-1-n) {
			return nil, errModule
		}
		data := body[1+n:][:size]
		body = body[1+n+len(data):]
		segments = append(segments, memory{uint64(address), data})
	}
	if len(segments) == 0 {
		return nil, errModule
	}
	slices.SortFunc(segments, func(a, b memory) int { return cmp.Compare(a.from, b.from) })
	m := &memory{from: segments[0].from}
	for _, s := range segments {
		if s.from < m.from+uint64(len(m.bytes)) {
			return nil, errors.New("two segments of data overlap")
		}
		m.bytes = append(m.bytes, make([]byte, s.from-m.from-uint64(len(m.bytes)))...)
		m.bytes = append(m.bytes, s.bytes...)
	}
	return m, nil
}

// segments writes the memory as a section of data, without zeros where these take more than another segment.
func (m *memory) segments() []byte {
	const minZeros = 8
	zeros := make([]byte, minZeros)
	var out []byte
	count := uint64(0)
	for at := 0; at < len(m.bytes); {
		if m.bytes[at] == 0 {
			at++
			continue
		}
		size := bytes.Index(m.bytes[at:], zeros)
		if size < 0 {
			size = len(bytes.TrimRight(m.bytes[at:], "\x00"))
		}
		out = append(out, activeSegment, constant)
		out = appendSigned(out, int64(m.from)+int64(at))
		out = append(out, end)
		out = binary.AppendUvarint(out, uint64(size))
		out = append(out, m.bytes[at:][:size]...)
		at += size
		count++
	}
	return append(binary.AppendUvarint(nil, count), out...)
}

// signed reads a signed LEB128 number and its length, which is 0 where there is none.
func signed(text []byte) (x int64, n int) {
	for shift := 0; n < len(text) && shift < 63; shift += 7 {
		b := text[n]
		n++
		x |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 {
				x -= 1 << (shift + 7)
			}
			return x, n
		}
	}
	return 0, 0
}

func appendSigned(out []byte, x int64) []byte {
	for {
		b := byte(x & 0x7f)
		x >>= 7
		if x == 0 && b&0x40 == 0 || x == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}
