package jsontext

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// Texts and numbers are written as encoding/json writes them; an invalid byte is its \ufffd, as a character.
func TestTextIsThatOfTheLibrary(t *testing.T) {
	check := func(v any, got string) {
		t.Helper()
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		if got+"\n" != want.String() {
			t.Errorf("%#v: %s, want %s", v, got, want.String())
		}
	}
	for r := range rune(0x3000) {
		check(string(r), String(string(r)))
	}
	for _, s := range []string{"", `a"b\c`, "<b>&amp;</b>", "é\u2028\u2029😀", "\U0010ffff\ufffd", "\x7f"} {
		check(s, String(s))
	}
	for _, s := range []string{"a\xffb", "\xe2\x80", "\xed\xa0\x80"} {
		var got, want string
		text, _ := json.Marshal(s)
		if json.Unmarshal(text, &want) != nil || json.Unmarshal([]byte(String(s)), &got) != nil || got != want {
			t.Errorf("%q: read back as %q, want %q", s, got, want)
		}
	}
	for _, x := range []float64{
		0, math.Copysign(0, -1), 1, -1.5, 1e6, 1e-6, 9.99e-7, 1e-7, 1.5e-10, 1e20, 1e21, -1e21, 1e22, 1e100,
		math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1,
	} {
		check(x, Number(x))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		if x := math.Float64frombits(random.Uint64()); !math.IsNaN(x) && !math.IsInf(x, 0) {
			check(x, Number(x))
		}
		runes := make([]rune, random.IntN(8))
		for i := range runes {
			runes[i] = rune(random.IntN(0x2100))
		}
		check(string(runes), String(string(runes)))
	}
}
