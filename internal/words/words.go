// Package words holds the words of enumerations: one table prints and reads them.
package words

import "slices"

// Table is the words of T, by its values from 0. An empty word is that of a value which nobody
// writes.
type Table[T ~uint8 | ~int8 | ~int] []string

// Word is that of a value.
func (t Table[T]) Word(v T) string { return t[v] }

// Parse is the value of a word.
func (t Table[T]) Parse(word string) (T, bool) {
	i := slices.Index(t, word)
	if i < 0 || word == "" {
		return 0, false
	}
	return T(i), true
}

// Names lists the words, those of some values left out.
func (t Table[T]) Names(without ...T) (names []string) {
	for i, word := range t {
		if word != "" && !slices.Contains(without, T(i)) {
			names = append(names, word)
		}
	}
	return names
}

// Glossary is the words of T with what each means, by its values from 0.
type Glossary[T ~uint8 | ~int8 | ~int] []struct{ Word, Meaning string }

// Word is that of a value.
func (g Glossary[T]) Word(v T) string { return g[v].Word }

// Meaning is that of a value.
func (g Glossary[T]) Meaning(v T) string { return g[v].Meaning }

// Table is the words alone.
func (g Glossary[T]) Table() Table[T] {
	var words Table[T]
	for _, entry := range g {
		words = append(words, entry.Word)
	}
	return words
}
