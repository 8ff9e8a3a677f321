package browser

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"stampede/explore"
)

// site is the address of the explorer, which one server serves to all tests.
func site(t testing.TB) string {
	t.Helper()
	if err := explore.CheckEngine(); err != nil {
		t.Fatal(err)
	}
	return server().URL + "/"
}

var server = sync.OnceValue(func() *httptest.Server {
	s := httptest.NewServer(explore.Site{Version: "of the tests"}.Handler())
	atEnd(s.Close)
	return s
})

// stampede runs the command of this source in an empty folder, and returns what it prints.
func stampede(t testing.TB, input string, args ...string) []byte {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = t.TempDir()
	cmd.Stdin = bytes.NewBufferString(input)
	var mistakes bytes.Buffer
	cmd.Stderr = &mistakes
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() < 3 { // 3 and 4: a goal was missed, or is undecided
		t.Fatalf("stampede %q: %v\n%s", args, err, mistakes.Bytes())
	}
	return out
}

// program builds the command once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "stampede-browser")
	if err != nil {
		return "", err
	}
	atEnd(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "stampede")
	out, err := exec.Command("go", "build", "-o", path, "stampede/cmd/stampede").CombinedOutput()
	if err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return path, nil
})
