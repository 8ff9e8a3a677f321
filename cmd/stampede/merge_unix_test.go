//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// 2,016 parts are merged by a process that may open 256 files and takes at most 200 MB, whatever the rows take. The
// parts are made of the first one: point i of part 1 is point i+k of part k+1.
func TestMergeManyPartsWithFewFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("writes thousands of parts")
	}
	const parts, each, reps = 2016, 2, 10
	dir := t.TempDir()
	stampede := program(t, dir)
	sweep := exec.Command(stampede, "sweep", "--vary", fmt.Sprintf("workload.max_tokens=1..%d lin %[1]d", parts*each),
		"--reps", fmt.Sprint(reps), "--set", "workload.batch.calls=10", "--shard", fmt.Sprintf("1/%d", parts), "--out",
		"part1")
	sweep.Dir = dir
	if out, err := sweep.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "part1", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	results, err := os.ReadFile(filepath.Join(dir, "part1", "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	head, rows, _ := strings.Cut(string(results), "\n")
	lines := strings.SplitAfter(strings.TrimSuffix(rows, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	if len(lines) != each*reps {
		t.Fatalf("%d rows in a part, want %d", len(lines), each*reps)
	}
	args := []string{"merge"}
	var whole [each]*os.File // the rows of each point of a part, over all parts
	for i := range whole {
		if whole[i], err = os.Create(filepath.Join(dir, fmt.Sprint("whole", i))); err != nil {
			t.Fatal(err)
		}
		defer whole[i].Close()
	}
	for k := range parts {
		name := fmt.Sprint("part", k+1)
		args = append(args, name)
		var own strings.Builder
		own.WriteString(head + "\n")
		for i, line := range lines {
			fields := strings.SplitN(line, ",", 4) // point, replication, label, values
			point, err := strconv.Atoi(fields[0])
			if err != nil {
				t.Fatal(err)
			}
			moved := fmt.Sprintf("%d,%s,%d,%s", point+k, fields[1], point+k+1, fields[3])
			own.WriteString(moved)
			if _, err := whole[i/reps].WriteString(moved); err != nil {
				t.Fatal(err)
			}
		}
		folder := filepath.Join(dir, name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "results.csv"), []byte(own.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "manifest.json"),
			bytes.Replace(manifest, []byte(`"index": 1,`), fmt.Appendf(nil, `"index": %d,`, k+1), 1),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	merge := exec.Command("sh", "-c", `ulimit -n 256 && exec "$0" "$@" --out merged`)
	merge.Args = append(merge.Args, stampede)
	merge.Args = append(merge.Args, args...)
	merge.Dir = dir
	var out bytes.Buffer
	merge.Stdout, merge.Stderr = &out, &out
	if err := merge.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- merge.Wait() }()
	peak := 0
	for running := true; running; {
		select {
		case err := <-ended:
			if running = false; err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
		case <-time.After(20 * time.Millisecond):
			peak = max(peak, peakOf(merge.Process.Pid))
		}
	}
	t.Logf("%d MB", peak>>20)
	if peak > 200e6 {
		t.Errorf("took %d MB, want at most 200", peak>>20)
	}
	want := head + "\n"
	for _, f := range whole {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		want += string(text)
	}
	got, err := os.ReadFile(filepath.Join(dir, "merged", "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("other rows: %d bytes, want %d", len(got), len(want))
	}
}

// peakOf is the peak of a process's memory in bytes where the system tells (Linux), else 0.
func peakOf(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0 // it has ended
	}
	return kib << 10
}
