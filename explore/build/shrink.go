package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Go's linker writes a table by which the runtime finds the function of a program counter, runtime.findfunctab: a
// record for 4,096 counters. In WebAssembly a function has 65,536 counters, so 16 records, and the runtime asks for
// the first of them alone (findfunc in symtab.go computes with the number of the function). Each record
// is a segment of data of its own, some ten bytes. Leaving the others out takes a tenth off the module and nine tenths
// of its segments, of which browsers take at most 100,000.
const (
	recordBytes        = 20 // a number of a function in four bytes, and sixteen bytes of differences from it
	recordsPerFunction = 16
)

// shrink is a module without the records that nothing reads.
func shrink(module []byte) ([]byte, error) {
	sections, err := sectionsOf(module)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(sections, func(s section) bool { return s.id == dataSection })
	if at < 0 {
		return nil, errors.New("the module has no data")
	}
	m, err := readMemory(sections[at].body)
	if err != nil {
		return nil, err
	}
	table, err := m.functionTable()
	if err != nil {
		return nil, err
	}
	for i := range len(table) / recordBytes {
		record := table[i*recordBytes:][:recordBytes]
		want := make([]byte, recordBytes)
		binary.LittleEndian.PutUint32(want, uint32(i/recordsPerFunction))
		if !bytes.Equal(record, want) {
			return nil, fmt.Errorf("record %d of the table of functions is % x, want % x", i, record, want)
		}
		if i%recordsPerFunction != 0 {
			clear(record)
		}
	}
	sections[at].body = m.segments()
	out := slices.Clone(module[:headBytes])
	for _, s := range sections {
		out = append(out, s.id)
		out = binary.AppendUvarint(out, uint64(len(s.body)))
		out = append(out, s.body...)
	}
	return out, nil
}

// memory is what the data of a module puts at an address and behind it.
type memory struct {
	from  uint64
	bytes []byte
}

// functionTable finds runtime.findfunctab by the head of the tables of functions, which begins with a magic number,
// and by runtime.firstmoduledata, which begins with the address of that head.
func (m *memory) functionTable() ([]byte, error) {
	const (
		magic     = "\xf1\xff\xff\xff\x00\x00\x01\x08" // of Go 1.20 and later; counters of 1 byte, pointers of 8
		tableAt   = 8 + 6*24                           // in moduledata: behind a pointer and six slices
		moduledat = tableAt + 8
	)
	head := bytes.Index(m.bytes, []byte(magic))
	if head < 0 || bytes.Contains(m.bytes[head+1:], []byte(magic)) {
		return nil, errors.New("the module has not one head of tables of functions")
	}
	functions := binary.LittleEndian.Uint64(m.bytes[head+8:])
	address := binary.LittleEndian.AppendUint64(nil, m.from+uint64(head))
	for at := 0; ; at += 8 {
		found := bytes.Index(m.bytes[at:], address)
		if found < 0 {
			return nil, errors.New("the module has no table of functions")
		}
		at += found
		if at+moduledat > len(m.bytes) {
			continue
		}
		// The length of the sixth slice, ftab, is the number of functions and an end.
		if n := binary.LittleEndian.Uint64(m.bytes[at+8+5*24+8:]); n != functions+1 {
			continue
		}
		start := binary.LittleEndian.Uint64(m.bytes[at+tableAt:]) - m.from
		size := (functions - 1) * recordsPerFunction * recordBytes // the last one has fewer
		if start > uint64(len(m.bytes)) || size > uint64(len(m.bytes))-start {
			return nil, errors.New("the table of functions lies outside of the data")
		}
		return m.bytes[start:][:size], nil
	}
}
