package main

import (
	"bytes"
	"context"
	"encoding/json"
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stampede/explore"
	"stampede/explore/engine"
)

// animate runs stampede animate and returns the GIF.
func animate(t *testing.T, args ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.gif")
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), append([]string{"stampede", "animate", "--out", path}, args...), &stdout, &stderr)
	said := stderr.String()
	if status != exitDone || said != "" && !strings.HasPrefix(said, "stampede: only the first axis of the sweep ") {
		t.Fatalf("%v: status %d, %s", args, status, said)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Each scene is drawn as the page's engine draws it, byte for byte, and so it is with sliders and another seed.
func TestScenesAreAnimatedAsByThePage(t *testing.T) {
	scenes, err := explore.Scenes()
	if err != nil {
		t.Fatal(err)
	}
	var session engine.Session
	page := func(scene explore.Scene, more ...string) []byte {
		title := scene.Title
		if scene.ID == explore.SandboxID {
			title = "documentation-assistant" // the name of its scenario
		}
		var policies []map[string]any
		for _, p := range scene.Policies {
			set := append(slices.Clone(p.Set), more...)
			policies = append(policies, map[string]any{"name": p.Name, "document": scene.Scenario, "set": set})
		}
		args, err := json.Marshal(map[string]any{
			"title": title, "policies": policies, "replication": 0, "speed": scene.Speed, "width": 800, "fps": 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		reply, ok := session.Call("animate", args)
		if !ok {
			t.Fatalf("%s: %s", scene.ID, reply.JSON)
		}
		return reply.Buffers["gif"]
	}
	for _, scene := range scenes {
		if !bytes.Equal(animate(t, "--scene", scene.ID, "--width", "800", "--fps", "1"), page(scene)) {
			t.Errorf("%s: the command and the page draw different pictures", scene.ID)
		}
	}
	with := animate(t, "--scene", "herd", "--width", "800", "--fps", "1",
		"--set", "workload.burst.calls=50", "--seed", "7")
	herd := scenes[slices.IndexFunc(scenes, func(s explore.Scene) bool { return s.ID == "herd" })]
	if !bytes.Equal(with, page(herd, "workload.burst.calls=50", "seed=7")) {
		t.Error("with settings: the command and the page draw different pictures")
	}
	if bytes.Equal(with, page(herd, "workload.burst.calls=50", "seed=8")) {
		t.Error("another seed draws the same picture")
	}
}

// Without flags a scene takes as long as its speed says: 12 frames a second, 960 x 540.
func TestDefaultsOfAnAnimation(t *testing.T) {
	g, err := gif.DecodeAll(bytes.NewReader(animate(t, "--set", "workload.batch.calls=20")))
	if err != nil {
		t.Fatal(err)
	}
	length := 0
	for _, d := range g.Delay {
		length += d
	}
	if len(g.Image) != 121 || length != 1200 || g.Config.Width != 960 || g.Config.Height != 540 {
		t.Errorf("%d frames in %d/100 s, %d x %d; want 121 in 1200/100, 960 x 540",
			len(g.Image), length, g.Config.Width, g.Config.Height)
	}
}

// What of a sweep is not shown is said, by both commands that show one.
func TestShownSweepIsSaid(t *testing.T) {
	dir := t.TempDir()
	write := func(sweep string) string {
		path := filepath.Join(dir, "s.yaml")
		text := "workload: {burst: {calls: 5}, prompt_tokens: 1, output_tokens: 1}\nsweep: " + sweep + "\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct{ sweep, said string }{
		{"{fleet.workers: [1, 2], seed: [1, 2]}",
			"stampede: only the first axis of the sweep is shown, fleet.workers; not seed\n"},
		{"{fleet.workers: [1, 2]}", ""},
	} {
		path := write(c.sweep)
		var stdout, stderr bytes.Buffer
		args := []string{"stampede", "animate", path, "--fps", "1", "--out", filepath.Join(dir, "s.gif")}
		if status := run(t.Context(), args, &stdout, &stderr); status != exitDone || stderr.String() != c.said {
			t.Errorf("animate, %s: status %d, said %q; want %q", c.sweep, status, &stderr, c.said)
		}
		_, stop := served(t, path)
		want := c.said + "stampede: open this address in a browser; Ctrl-C stops the server\n"
		if status, said := stop(); status != exitDone || said != want {
			t.Errorf("explore, %s: status %d, said %q; want %q", c.sweep, status, said, want)
		}
	}
}

// Only a name of a GIF is taken, since other programs read the kind of a picture from it.
func TestAnimationIsNamedAsAGIF(t *testing.T) {
	for name, want := range map[string]int{"a.png": exitUsage, "a": exitUsage, "a.GIF": exitDone} {
		path := filepath.Join(t.TempDir(), name)
		var stdout, stderr bytes.Buffer
		args := []string{"stampede", "animate", "--scene", "gate", "--fps", "1", "--seconds", "1", "--out", path}
		status := run(t.Context(), args, &stdout, &stderr)
		if status != want || status == exitUsage && !strings.Contains(stderr.String(), "a name that ends in .gif") {
			t.Errorf("%s: status %d, said %q; want status %d", name, status, &stderr, want)
		}
		if _, err := os.Stat(path); (err == nil) != (want == exitDone) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An animation that is interrupted leaves no file, and the one that was there.
func TestInterruptedAnimationLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	old := filepath.Join(dir, "a.gif")
	if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	status := run(ctx, []string{"stampede", "animate", "--scene", "herd", "--out", old}, &stdout, &stderr)
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(old)
	said := stderr.String()
	if status != exitFailed || said != "stampede: interrupted\n" || len(files) != 1 || string(text) != "old" {
		t.Errorf("status %d, %q, files %v with %q, %v; want 1, interrupted, the old file",
			status, said, files, text, err)
	}
}
