package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"stampede/internal/nearest"
	"stampede/internal/strict"
	"stampede/policy"
)

// RetryOn is one thing that is retried: a status such as 429, a class such as
// 5xx, timeout, connection or stream.
type RetryOn struct {
	Statuses policy.Statuses
	Failure  string // timeout, connection or stream, else empty
}

// ParseText implements strict.Texter.
func (r *RetryOn) ParseText(text string) error {
	if text == "timeout" || text == "connection" || text == "stream" {
		*r = RetryOn{Failure: text}
		return nil
	}
	if class, ok := strings.CutSuffix(text, "xx"); ok {
		if n, err := strconv.Atoi(class); err == nil && n >= 3 && n <= 5 {
			*r = RetryOn{Statuses: policy.Statuses{From: 100 * n, To: 100*n + 99}}
			return nil
		}
	}
	if from, to, ok := strings.Cut(text, ".."); ok {
		low, err := strconv.Atoi(from)
		high, err2 := strconv.Atoi(to)
		if err == nil && err2 == nil && low >= 300 && high <= 599 && low < high {
			*r = RetryOn{Statuses: policy.Statuses{From: low, To: high}}
			return nil
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 300 && n <= 599 {
		*r = RetryOn{Statuses: policy.Statuses{From: n, To: n}}
		return nil
	}
	return errors.New(
		"want a status from 300 to 599, a range such as 502..599, a class such as 5xx, timeout, connection or stream")
}

func (r RetryOn) String() string {
	if r.Failure != "" {
		return r.Failure
	}
	return r.Statuses.Describe()
}

// allowedChoices explains a choice written as a name.
func allowedChoices(found string, t reflect.Type) string {
	var bare, full []string
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("yaml")
		if t.Field(i).Type == reflect.TypeFor[*struct{}]() {
			bare = append(bare, name)
		} else {
			full = append(full, name)
		}
	}
	s := nearest.Unknown(found, append(bare, full...))
	for _, name := range full {
		if name == found {
			return fmt.Sprintf("%s needs its parameters, as in {%s: ...}", name, name)
		}
	}
	return s
}

// strictNames lists the fields of a struct as they are written.
func strictNames[T any]() []string { return strict.Names(reflect.TypeFor[T]()) }
