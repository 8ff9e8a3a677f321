package main

import (
	"slices"
	"strings"
	"testing"

	"stampede/conformance/clients"
	"stampede/conformance/decisions"
)

// Every client has a preset, which names of replies and files that are there describe.
func TestClientTable(t *testing.T) {
	for _, c := range clientTable {
		preset, covered, err := presetOf(c.preset, "999.0")
		if err != nil || covered || preset.Name != c.preset {
			t.Errorf("%s: no preset (%v)", c.preset, err)
			continue
		}
		policy, err := preset.Client()
		if err != nil {
			t.Fatal(err)
		}
		measured := map[string]decisions.Decision{}
		for _, r := range decisions.Replies {
			measured[r.Name] = decisions.Predicted(policy, r)
		}
		if _, err := decisions.Compare(policy, c.treats, measured); err != nil {
			t.Errorf("%s: %v", c.preset, err)
		}
		file, call := "node/clients.mjs", "'"+c.preset+"':"
		if c.folder != "" {
			file, call = c.folder+"/ask.go", "func "+c.ask+"("
		}
		if text, err := clients.Files.ReadFile(file); err != nil || !strings.Contains(string(text), call) {
			t.Errorf("%s: %s has no %s (%v)", c.preset, file, call, err)
		}
	}
}

// The preset of a version that no range holds is that of the highest versions: 0.125 is above 0.79 and 0.30.
func TestPresetOf(t *testing.T) {
	for _, c := range []struct {
		version, from string
		covered       bool
	}{{"0.78.0", "0.30", true}, {"0.79.1", "0.79", true}, {"1.0.0", "0.125", true}, {"99.1.0", "0.125", false}} {
		p, covered, err := presetOf("anthropic-typescript", c.version)
		if err != nil || covered != c.covered || !strings.HasPrefix(p.Versions, c.from+" ") {
			t.Errorf("%s: %s, covered %v (%v); want that from %s, covered %v", c.version, p.Versions, covered, err,
				c.from, c.covered)
		}
	}
}

func TestMajorVersions(t *testing.T) {
	for _, c := range []struct {
		path, base string
		major      int
	}{
		{"example.com/sdk", "example.com/sdk", 1}, {"example.com/sdk/v3", "example.com/sdk", 3},
		{"example.com/vault", "example.com/vault", 1},
	} {
		base, major := splitMajor(c.path)
		if base != c.base || major != c.major || joinMajor(base, major) != c.path {
			t.Errorf("%s: %s of major version %d, want %s of %d", c.path, base, major, c.base, c.major)
		}
	}
	if got := joinMajor("example.com/sdk", 0); got != "example.com/sdk" {
		t.Errorf("version 0: %s", got)
	}
}

func TestChoose(t *testing.T) {
	all, err := choose(nil)
	if err != nil || len(all) != len(clientTable) {
		t.Errorf("%d clients (%v), want all", len(all), err)
	}
	one, err := choose([]string{"openai-node@6.49"})
	if err != nil || len(one) != 1 || one[0].path != "openai" || one[0].version != "6.49" {
		t.Errorf("%+v (%v)", one, err)
	}
	if slices.ContainsFunc(clientTable, func(c client) bool { return c.version != "" }) {
		t.Error("a choice changes the table")
	}
	if _, err := choose([]string{"opnai-node"}); err == nil || !strings.Contains(err.Error(), "openai-node") {
		t.Errorf("%v", err)
	}
}

func TestCompareVersions(t *testing.T) {
	ordered := []string{"0.9.1", "0.37.0", "1.4.1", "1.10.0-beta.1", "1.10.0", "2.0.0"}
	for i := 1; i < len(ordered); i++ {
		if compareVersions(ordered[i-1], ordered[i]) >= 0 || compareVersions(ordered[i], ordered[i-1]) <= 0 {
			t.Errorf("%s does not come before %s", ordered[i-1], ordered[i])
		}
	}
}
