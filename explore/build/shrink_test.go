package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// made is a module with a memory from an address.
func made(from uint64, data []byte) []byte {
	body := (&memory{from, data}).segments()
	module := []byte("\x00asm\x01\x00\x00\x00\x05\x03\x01\x00\x01") // and a section for a memory of a page
	module = binary.AppendUvarint(append(module, dataSection), uint64(len(body)))
	return append(module, body...)
}

// tables is data as Go's linker writes it, with three functions: the head, firstmoduledata at 104 and the table at 400,
// whose last function has a part of a record.
func tables(from uint64) []byte {
	data := make([]byte, 2000)
	copy(data, "\xf1\xff\xff\xff\x00\x00\x01\x08\x03")
	number := binary.LittleEndian.PutUint64
	number(data[104:], from)            // pcHeader
	number(data[104+8+5*24+8:], 4)      // the length of ftab
	number(data[104+8+6*24:], from+400) // findfunctab
	for i := range 2 * 16 {
		data[400+20*i] = byte(i / 16)
	}
	copy(data[400+20*2*16:], "\x02\x00\x00\x00end")
	return data
}

func TestShrinkKeepsTheRecordsThatAreRead(t *testing.T) {
	const from = 4096
	data := tables(from)
	got, err := shrink(made(from, data))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 * 16 {
		if i%16 != 0 {
			data[400+20*i] = 0
		}
	}
	if want := made(from, data); !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

func TestShrinkRefuses(t *testing.T) {
	other := tables(4096)
	other[400+20*17] = 9
	differences := tables(4096)
	differences[400+20*17+5] = 1
	for name, tt := range map[string]struct {
		module []byte
		want   string
	}{
		"no module":               {[]byte("text"), "not a WebAssembly module"},
		"a section that is cut":   {made(0, tables(0))[:100], "not a WebAssembly module"},
		"no data":                 {made(0, nil)[:13], "no data"},
		"data of another program": {made(0, []byte("text")), "not one head"},
		"a table without functions of that number": {made(4096, tables(8192)), "no table of functions"},
		"a record of another function":             {made(4096, other), "record 17"},
		"a record with differences":                {made(4096, differences), "record 17"},
	} {
		if _, err := shrink(tt.module); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// Zeros from eight on are left out, since another segment takes eight bytes; fewer stay.
func TestSegments(t *testing.T) {
	m := memory{1000, []byte("ab" + strings.Repeat("\x00", 7) + "c" + strings.Repeat("\x00", 8) + "d\x00")}
	got := m.segments()
	want := "\x02" + // 1000 and 1018 as signed LEB128
		"\x00\x41\xe8\x07\x0b\x0aab\x00\x00\x00\x00\x00\x00\x00c" +
		"\x00\x41\xfa\x07\x0b\x01d"
	if string(got) != want {
		t.Errorf("got  % x\nwant % x", got, want)
	}
	back, err := readMemory(got)
	if err != nil || back.from != 1000 || string(back.bytes) != strings.TrimRight(string(m.bytes), "\x00") {
		t.Errorf("read back: %v, %v", back, err)
	}
}

func TestSignedNumbers(t *testing.T) {
	// The example of the format's description: -123456 is c0 bb 78.
	if got := appendSigned(nil, -123456); !bytes.Equal(got, []byte{0xc0, 0xbb, 0x78}) {
		t.Errorf("-123456 is % x", got)
	}
	for _, x := range []int64{0, 1, 63, 64, -1, -64, -65, 8191, 8192, math.MaxInt32, math.MinInt32} {
		text := appendSigned(nil, x)
		if got, n := signed(text); got != x || n != len(text) {
			t.Errorf("%d is % x, which reads %d, %d bytes", x, text, got, n)
		}
	}
	if _, n := signed([]byte{0x80, 0x80}); n != 0 {
		t.Errorf("a number that is cut has %d bytes, want none", n)
	}
}
