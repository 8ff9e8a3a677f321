package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stampede/explore"
	"stampede/scenario"
)

// serves matches command lines that run until they are interrupted.
var serves = regexp.MustCompile(`^stampede explore\b`)

// untilServed makes bash stop a command that serves when it has printed its address; other lines stay as they are.
func untilServed(line string) string {
	if !serves.MatchString(line) || strings.Contains(line, "--out") {
		return line
	}
	return "coproc exec " + line + "; pid=$COPROC_PID; read -r address <&${COPROC[0]} && kill -TERM $pid && wait $pid"
}

func needEngine(t *testing.T) {
	t.Helper()
	if err := explore.CheckEngine(); err != nil {
		t.Fatal(err)
	}
}

// served runs stampede explore and returns its address; stop interrupts it and returns its exit status and what
// it said.
func served(t *testing.T, args ...string) (address string, stop func() (int, string)) {
	t.Helper()
	needEngine(t)
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	var stderr bytes.Buffer
	status := make(chan int)
	go func() {
		code := run(ctx, append([]string{"stampede", "explore"}, args...), write, &stderr)
		write.Close()
		status <- code
	}()
	address, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: status %d, %s", <-status, &stderr)
	}
	return strings.TrimSuffix(address, "\n"), func() (int, string) {
		cancel()
		return <-status, stderr.String()
	}
}

func fetch(t *testing.T, url, host string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		request.Host = host
	}
	reply, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(text)
}

func TestExploreServesUntilInterrupted(t *testing.T) {
	address, stop := served(t)
	if !regexp.MustCompile(`^http://127\.0\.0\.1:[1-9][0-9]*/$`).MatchString(address) {
		t.Errorf("the address is %q", address)
	}
	page, err := os.ReadFile("../../explore/page/index.html")
	if err != nil {
		t.Fatal(err)
	}
	port := regexp.MustCompile(`:[0-9]+`).FindString(address)
	for _, c := range []struct {
		what, path, host string
		status           int
		text             string // all of it; empty for any
	}{
		{"the page", "", "", 200, string(page)},
		{"by the machine's name", "", "localhost" + port, 200, string(page)},
		{"through a tunnel that ends at another port", "", "localhost:8080", 200, string(page)},
		{"by IPv6", "", "[::1]" + port, 200, string(page)},
		{"under the name of another site", "", "example.com" + port, 403,
			"403 the explorer answers at 127.0.0.1 and localhost only\n"},
		{"no scenario was given", "scenario.yaml", "", 404, ""},
	} {
		status, text := fetch(t, address+c.path, c.host)
		if status != c.status || c.text != "" && text != c.text {
			t.Errorf("%s: status %d, %q", c.what, status, text)
		}
	}
	status, said := stop()
	if status != exitDone || said != "stampede: open this address in a browser; Ctrl-C stops the server\n" {
		t.Errorf("status %d, %q", status, said)
	}
	if c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/")); err == nil {
		c.Close()
		t.Error("the port is still open")
	}
}

// A scenario is served as it was written; with settings, as a document that has them.
func TestExploreServesAScenario(t *testing.T) {
	const text = "name: mine # of the team\nworkload: {burst: {calls: 5}, prompt_tokens: 1, output_tokens: 1}\n" +
		"sweep: {policy.retry.attempts: [1, 2]}\n"
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	address, stop := served(t, file)
	if _, given := fetch(t, address+"scenario.yaml", ""); given != text {
		t.Errorf("given %q", given)
	}
	stop()
	address, stop = served(t, file, "--set", "policy.retry.attempts=7", "--set", "seed=3")
	_, given := fetch(t, address+"scenario.yaml", "")
	stop()
	s, err := scenario.Read([]byte(given), "given", scenario.Options{})
	if err != nil {
		t.Fatalf("%v in\n%s", err, given)
	}
	if s.Name != "mine" || s.Seed != 3 || s.Policy.Retry.Attempts.String() != "7" || s.Sweep.Size() != 2 {
		t.Errorf("given\n%s", given)
	}
}

func TestExploreRefuses(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	file := filepath.Join(dir, "wrong.yaml")
	traced := filepath.Join(dir, "traced.yaml")
	for path, text := range map[string]string{
		filepath.Join(full, "x"): "x",
		file:                     "workload: {burst: {cals: 5}, prompt_tokens: 1, output_tokens: 1}\n",
		traced: "workload: {trace: {file: t.csv, columns: {time: t}}, prompt_tokens: 1, " +
			"output_tokens: 1}\n",
		filepath.Join(dir, "t.csv"):    "t\n2026-01-01T00:00:00Z\n2026-01-01T00:00:01Z\n",
		filepath.Join(dir, "file.txt"): "no folder",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, c := range []struct {
		what   string
		args   []string
		status int
		said   string
	}{
		{"a scenario that does not check", []string{file}, exitUsage,
			`workload.burst.cals: unknown field; did you mean "calls"?`},
		{"a setting that does not check", []string{"--set", "policy.gate.semaphore=x"}, exitUsage,
			"policy.gate.semaphore"},
		{"a scenario that is not there", []string{filepath.Join(dir, "none.yaml")}, exitUsage, "none.yaml"},
		{"a scenario that reads files", []string{traced}, exitUsage, "the scenario reads t.csv"},
		{"two scenarios", []string{file, file}, exitUsage, "found 2 arguments"},
		{"no port", []string{"--port", "70000"}, exitUsage, "--port: found 70000; want 1 to 65535"},
		{"a folder and a port", []string{"--port", "80", "--out", filepath.Join(dir, "new")}, exitUsage,
			"leave out one of the two"},
		{"a folder that is not empty", []string{"--out", full}, exitUsage, "is not empty; name another"},
		{"a file", []string{"--out", filepath.Join(dir, "file.txt")}, exitFailed, "--out: "},
		{"a port in use", []string{"--port", strconv.Itoa(busy.Addr().(*net.TCPAddr).Port)}, exitFailed,
			"in use; without --port, or with --port 0, a free port is taken"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), append([]string{"stampede", "explore"}, c.args...), &stdout, &stderr)
		if status != c.status || !strings.Contains(stderr.String(), c.said) || stdout.Len() > 0 {
			t.Errorf("%s: status %d, printed %q, said %q", c.what, status, &stdout, &stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a refused command wrote a folder")
	}
}

func TestExploreWritesASite(t *testing.T) {
	needEngine(t)
	dir := filepath.Join(t.TempDir(), "a", "site")
	var stdout, stderr bytes.Buffer
	args := []string{"stampede", "explore", "../../examples/herd.yaml", "--out", dir}
	if status := run(t.Context(), args, &stdout, &stderr); status != exitDone {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	if said := strings.Join(strings.Fields(stderr.String()), " "); stdout.Len() > 0 ||
		!strings.HasPrefix(said, "wrote "+dir+": a static site") ||
		!strings.HasSuffix(said, "python3 -m http.server --directory "+dir) {
		t.Errorf("printed %q, said %q", &stdout, said)
	}
	for name, source := range map[string]string{
		"index.html": "../../explore/page/index.html", "engine.wasm.gz": "../../explore/dist/engine.wasm.gz",
		"wasm_exec.js": "../../explore/dist/wasm_exec.js", "scenario.yaml": "../../examples/herd.yaml",
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		want, wantErr := os.ReadFile(source)
		if err != nil || wantErr != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not %s: %v, %v", name, source, err, wantErr)
		}
	}
}
