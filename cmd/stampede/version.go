package main

import (
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"stampede/measure"
)

func init() {
	cli.VersionFlag = &cli.BoolFlag{
		Name:    "version",
		Aliases: []string{"v"},
		Usage:   "print version, commit and date of the build",
	}
}

// version is that of the program, with the commit and its date where the build knows them: go build
// and go install in a clone do, go run and go test do not.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	if info != nil {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	commit := settings["vcs.revision"]
	if commit == "" {
		return measure.Version
	}
	text := measure.Version + " (commit " + commit[:min(len(commit), 12)]
	if date := settings["vcs.time"]; date != "" {
		text += " of " + date
	}
	if settings["vcs.modified"] == "true" {
		text += ", with local changes"
	}
	return text + ")"
}
