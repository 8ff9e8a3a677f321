package main

import (
	"runtime/debug"
	"testing"

	"stampede/measure"
)

func TestVersion(t *testing.T) {
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "8b1f9b3a7c2d4e5f60718293a4b5c6d7e8f90a1b"}
	date := debug.BuildSetting{Key: "vcs.time", Value: "2026-11-30T12:34:56Z"}
	for _, c := range []struct {
		what string
		info *debug.BuildInfo
		want string
	}{
		{"no build information", nil, ""},
		{"go run", &debug.BuildInfo{}, ""},
		{"a clean clone",
			&debug.BuildInfo{Settings: []debug.BuildSetting{commit, date, {Key: "vcs.modified", Value: "false"}}},
			" (commit 8b1f9b3a7c2d of 2026-11-30T12:34:56Z)"},
		{"local changes",
			&debug.BuildInfo{Settings: []debug.BuildSetting{commit, date, {Key: "vcs.modified", Value: "true"}}},
			" (commit 8b1f9b3a7c2d of 2026-11-30T12:34:56Z, with local changes)"},
		{"another version control", &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "5"}}},
			" (commit 5)"},
	} {
		if got := versionOf(c.info); got != measure.Version+c.want {
			t.Errorf("%s: %q", c.what, got)
		}
	}
}
