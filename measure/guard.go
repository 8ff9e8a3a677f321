package measure

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Guard calls f and returns its panic as an error with the place where it happened, so that a fault of the
// program that one replication meets does not end the others.
func Guard(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			message, _, _ := strings.Cut(fmt.Sprint(value), "\n")
			err = fmt.Errorf("panic: %s (%s)", message, panickedAt())
		}
	}()
	return f()
}

// panickedAt names the innermost three lines of code behind a panic, for the function that recovers.
func panickedAt() string {
	var counters [64]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters[:])])
	var at []string
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") && frame.File != "" {
			file := path.Join(path.Base(path.Dir(frame.File)), path.Base(frame.File))
			at = append(at, fmt.Sprintf("%s:%d", file, frame.Line))
		}
		if !more || len(at) == 3 {
			return strings.Join(at, ", ")
		}
	}
}
