package strict

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// What a field's tags say besides its name:
//
//	default:"30s"      what it has when it is left out, where that is not its zero
//	none:"no pause"    the word none is allowed, and what it means: the thing is off
//	unlimited:"..."    the word unlimited is allowed, and what it means: no bound
//	zero:"no"          0 is refused: a zero stands for none, or for a default
//	own:"yes"          left out it is inherited: none is one of its own in which all is off
//
// none and unlimited give a field its zero, and a struct its defaults, unless the type is
// an [Unlimiter]. null leaves any field as if it had not been written.

// Unlimiter is a type whose unlimited is not its zero.
type Unlimiter interface{ SetUnlimited() }

// Reset gives a value what it has when nothing is written: the defaults of its fields, and
// zeros.
func Reset(v reflect.Value) { v.Set(defaults(v.Type())) }

var defaultsOf sync.Map // by type

// defaults is the value of a type of which nothing is written.
func defaults(t reflect.Type) reflect.Value {
	if t.Kind() != reflect.Struct {
		return reflect.Zero(t)
	}
	if v, ok := defaultsOf.Load(t); ok {
		return v.(reflect.Value)
	}
	v := reflect.New(t).Elem()
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() {
			continue
		}
		v.Field(i).Set(defaults(field.Type))
		if text, ok := field.Tag.Lookup("default"); ok {
			n, err := Parse([]byte(text), "default")
			if err == nil && !word(n, field, v.Field(i), v.Field(i)) {
				err = NewDecoder().Plain(n, v.Field(i), field.Name)
			}
			if err != nil {
				panic(err) // a tag of the program
			}
		}
	}
	defaultsOf.Store(t, v)
	return v
}

// WordsOf lists the words for nothing and for everything that a field allows.
func WordsOf(field reflect.StructField) (words []string) {
	for _, word := range []string{"none", "unlimited"} {
		if _, ok := field.Tag.Lookup(word); ok {
			words = append(words, word)
		}
	}
	return words
}

// word gives a field what none, unlimited or null mean, and reports whether that was written.
func word(n *Node, field reflect.StructField, v reflect.Value, unset reflect.Value) bool {
	if n.Kind == Null && n.Text != "" {
		v.Set(unset)
		return true
	}
	if _, ok := field.Tag.Lookup(n.Text); n.Kind != Scalar || !ok || (n.Text != "none" && n.Text != "unlimited") {
		return false
	}
	if u, ok := v.Addr().Interface().(Unlimiter); ok && n.Text == "unlimited" {
		u.SetUnlimited()
		return true
	}
	_, text := v.Addr().Interface().(Texter)
	switch {
	case field.Tag.Get("own") != "":
		v.Set(reflect.New(v.Type().Elem()))
		Reset(v.Elem())
	case v.Kind() == reflect.Struct && !text:
		Reset(v)
	default:
		v.SetZero()
	}
	return true
}

// wordFor is the word that gives a field the value it has, empty where there is none.
func wordFor(field reflect.StructField, v reflect.Value) string {
	words := WordsOf(field)
	if len(words) == 0 || !v.IsZero() || reflect.PointerTo(v.Type()).Implements(reflect.TypeFor[Unlimiter]()) {
		return ""
	}
	switch v.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Pointer:
		return ""
	}
	return words[len(words)-1]
}

// allowWords adds the words that a field allows to an error about its value.
func allowWords(err error, n *Node, field reflect.StructField, path string) error {
	words := WordsOf(field)
	if e, ok := err.(*Error); ok && e.Path == path && n.Kind == Scalar && len(words) > 0 {
		said := *e
		if len(words) == 1 {
			words[0] = "or " + words[0]
		}
		said.Message += ", " + strings.Join(words, " or ")
		return &said
	}
	return err
}

// refuseZero is the error of a 0 where none stands for it.
func refuseZero(n *Node, field reflect.StructField, v reflect.Value, path string) error {
	if field.Tag.Get("zero") != "no" || n.Kind != Scalar || !v.IsZero() {
		return nil
	}
	return n.Fail(path, "found %q; want more than 0", n.Text)
}

// Errors are the mistakes of a document, in the order found.
type Errors []error

// maxErrors is how many of them are told.
const maxErrors = 10

// Error tells the first ten.
func (e Errors) Error() string {
	var b strings.Builder
	for i, err := range e {
		if i == maxErrors {
			fmt.Fprintf(&b, "\nand %d more mistakes", len(e)-maxErrors)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(err.Error())
	}
	return b.String()
}

// Unwrap gives the mistakes one by one.
func (e Errors) Unwrap() []error { return e }

// Sort puts the mistakes of each file in the order of its lines, the files in the order in which
// they were first found wrong.
func (e Errors) Sort() {
	var sources []*source
	place := func(err error) (file, line, column int) {
		at, ok := err.(*Error)
		if !ok {
			return len(e), 0, 0
		}
		if file = slices.Index(sources, at.origin.source); file < 0 {
			sources = append(sources, at.origin.source)
			file = len(sources) - 1
		}
		return file, at.origin.line, at.origin.column
	}
	for _, err := range e {
		place(err)
	}
	slices.SortStableFunc(e, func(a, b error) int {
		file, line, column := place(a)
		file2, line2, column2 := place(b)
		return cmp.Or(file-file2, line-line2, column-column2)
	})
}

// Join makes one error of several; nil of none.
func (e Errors) Join() error {
	switch len(e) {
	case 0:
		return nil
	case 1:
		return e[0]
	}
	return e
}

// Add appends an error, or those that it is made of; nil adds nothing.
func (e *Errors) Add(err error) {
	switch err := err.(type) {
	case nil:
	case Errors:
		*e = append(*e, err...)
	default:
		*e = append(*e, err)
	}
}
