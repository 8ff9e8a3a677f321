package strict

import "testing"

func TestLay(t *testing.T) {
	const document = "a: {b: 1, c: [x, {d: 2}]}\ne: name\n"
	for _, row := range []struct {
		setting, value string
		want           string // empty where it cannot be written into the document
	}{
		{"a.b", "3", "a: {b: 3, c: [x, {d: 2}]}\ne: name\n"},
		{"a.c.1.d", "9", "a: {b: 1, c: [x, {d: 9}]}\ne: name\n"},
		{"a.c.0", "{y: 1}", "a: {b: 1, c: [{y: 1}, {d: 2}]}\ne: name\n"},
		{"a", "none", "a: none\ne: name\n"},
		{"a.new.deep", "4", "a: {b: 1, c: [x, {d: 2}], new: {deep: 4}}\ne: name\n"},
		{"f.g", "1", "a: {b: 1, c: [x, {d: 2}]}\ne: name\nf: {g: 1}\n"},
		{"e.inside", "1", ""}, // what a name stands for is not known here
		{"a.c.7", "1", ""},    // there is no such item
		{"a.c+", "[z]", ""},   // it adds to what is there
	} {
		n, err := Parse([]byte(document), "test")
		if err != nil {
			t.Fatal(err)
		}
		setting, err := Setting(row.setting, row.value, "test")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if laid, ok := n.Lay(setting); ok {
			got = laid.Block(0, 80)
		}
		if got != row.want {
			t.Errorf("%s=%s gives\n%swant\n%s", row.setting, row.value, got, row.want)
		}
		if n.Block(0, 80) != document {
			t.Errorf("%s=%s changed the document it was written into", row.setting, row.value)
		}
	}
}

func TestWithout(t *testing.T) {
	n, err := Parse([]byte("a: 1\nb: {c: 2}\nd: 3\n"), "test")
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Without("b").Block(0, 80); got != "a: 1\nd: 3\n" {
		t.Errorf("without b: %q", got)
	}
}
