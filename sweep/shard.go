package sweep

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is part Index, from 1, of Of parts; the zero Shard is all.
type Shard struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

func (s Shard) has(point int) bool { return s.Of == 0 || point%s.Of == s.Index-1 }

// array holds the environment variables by which a cluster engine gives a task its index in an array of jobs.
type array struct {
	engine, index string
	count         string // empty when the engine does not give it
	where         string // a user finds the count
}

var arrays = []array{
	{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "--array"},
	{"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", "the array size"},
	{"Kubernetes", "JOB_COMPLETION_INDEX", "", "spec.completions"},
}

// ParseShard reads I/N, auto/N, auto1/N or auto. The index of auto/N counts from 0 and that of auto1/N from 1,
// whatever tasks were submitted, so that a task that is submitted again keeps its part. env looks up the
// environment; it returns the empty string for a variable that is not set.
func ParseShard(text string, env func(string) string) (s Shard, err error) {
	if text == "" {
		return s, nil
	}
	index, of, split := strings.Cut(text, "/")
	if !strings.HasPrefix(index, "auto") {
		i, err1 := strconv.Atoi(index)
		n, err2 := strconv.Atoi(of)
		if err1 != nil || err2 != nil || i < 1 || n < i {
			return s, fmt.Errorf("found %q; want I/N with 1 <= I <= N, auto/N, auto1/N or auto", text)
		}
		return Shard{Index: i, Of: n}, nil
	}
	if index != "auto" && index != "auto1" || index == "auto1" && !split {
		return s, fmt.Errorf("found %q; want I/N, auto/N, auto1/N or auto", text)
	}
	a, task, err := findArray(env)
	if err != nil {
		return s, err
	}
	if !split {
		return a.complete(task, env)
	}
	n, err := strconv.Atoi(of)
	if err != nil || n < 1 {
		return s, fmt.Errorf("found %q; want the number of parts, 1 or more, in %s/N", text, index)
	}
	first := 0
	if index == "auto1" {
		first = 1
	}
	// Index N exists only in an array that starts at 1. Slurm gives the last index to every task.
	last := task
	if a.engine == "Slurm" {
		if m, err := strconv.Atoi(env("SLURM_ARRAY_TASK_MAX")); err == nil {
			last = max(last, m)
		}
	}
	switch {
	case first == 1 && a.engine != "Slurm":
		return s, fmt.Errorf("%s counts from 0; write auto/%d", a.engine, n)
	case first == 0 && last == n && a.engine == "Slurm":
		return s, fmt.Errorf("found %s=%d and an array up to %d; auto/%d uses the indices 0 to %d; "+
			"for an array that starts at 1 write auto1/%d", a.index, task, last, n, n-1, n)
	case task < first || task >= first+n:
		return s, fmt.Errorf("found %s=%d; %s/%d uses the indices %d to %d",
			a.index, task, index, n, first, first+n-1)
	}
	return Shard{Index: task - first + 1, Of: n}, nil
}

// findArray finds the array of jobs that the task is part of.
func findArray(env func(string) string) (found array, task int, err error) {
	for _, a := range arrays {
		value := env(a.index)
		if value == "" {
			continue
		}
		if found.index != "" {
			return found, 0, fmt.Errorf("found %s and %s in the environment; write I/N", found.index, a.index)
		}
		if task, err = strconv.Atoi(value); err != nil || task < 0 {
			return found, 0, fmt.Errorf("found %s=%q; want a whole number", a.index, value)
		}
		found = a
	}
	if found.index == "" {
		return found, 0, fmt.Errorf(
			"found no index of a Slurm, AWS Batch or Kubernetes array in the environment; " +
				"write I/N",
		)
	}
	return found, task, nil
}

// complete is the part of a task when this submission is the complete array: it starts at 0 or 1 and has no
// gaps. An array of one task is refused: it is probably a task that is submitted again.
func (a array) complete(task int, env func(string) string) (s Shard, err error) {
	if a.count == "" {
		return s, fmt.Errorf("%s does not give the number of parts; write auto/N, with N from %s",
			a.engine, a.where)
	}
	number := func(name string) int {
		n, e := strconv.Atoi(env(name))
		if e != nil && err == nil {
			err = fmt.Errorf("found %s=%q; write auto/N, with N from %s", name, env(name), a.where)
		}
		return n
	}
	count, first := number(a.count), 0
	if a.engine == "Slurm" {
		var last, step int
		first, last = number("SLURM_ARRAY_TASK_MIN"), number("SLURM_ARRAY_TASK_MAX")
		step = number("SLURM_ARRAY_TASK_STEP")
		if err == nil && (first > 1 || step != 1 || count != last-first+1 || count == 1) {
			return s, fmt.Errorf(
				"found %d tasks from %d to %d in steps of %d; auto needs the complete array, from 0 or 1 "+
					"and without gaps; write auto/N, or auto1/N for an array that starts at 1, with N "+
					"the size of the complete array",
				count, first, last, step)
		}
	}
	if err == nil && (task < first || task >= first+count) {
		err = fmt.Errorf("found %s=%d and %s=%d; write auto/N", a.index, task, a.count, count)
	}
	return Shard{Index: task - first + 1, Of: count}, err
}
