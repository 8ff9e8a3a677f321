package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stampede/conformance/clients"
	"stampede/conformance/clients/measure"
)

// npm is the registry that npm is configured with.
type npm struct{}

func (npm) find(folder, path, version string) (string, string, error) {
	// Without a version npm view speaks of the tag latest; with one, of all that match, in no order.
	spec := path
	if version != "" {
		spec += "@" + version
	}
	text, err := run(folder, nil, nil, "npm", "view", "--fetch-retries=0", "--json", spec, "version")
	if err != nil {
		return "", "", err
	}
	var one string
	if json.Unmarshal(text, &one) == nil {
		return path, one, nil
	}
	var many []string
	if err := json.Unmarshal(text, &many); err != nil || len(many) == 0 {
		return "", "", fmt.Errorf("npm knows no version %s", spec)
	}
	return path, slices.MaxFunc(many, compareVersions), nil
}

// compareVersions orders versions such as 1.10.0 by their numbers; a prerelease comes before its release.
func compareVersions(a, b string) int {
	numbers := func(v string) (out []int) {
		release, _, pre := strings.Cut(v, "-")
		for _, part := range strings.Split(release, ".") {
			n, _ := strconv.Atoi(part) // npm's versions are three numbers
			out = append(out, n)
		}
		if pre {
			return append(out, 0)
		}
		return append(out, 1)
	}
	return slices.Compare(numbers(a), numbers(b))
}

func (npm) measure(folder string, r result, job measure.Job) (map[string][][]float64, error) {
	// An exact version is installed even where it asks for a newer Node; npm would choose an older one of a range.
	install := []string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error",
		r.path + "@" + r.version}
	if r.needs != "" {
		_, version, err := npm{}.find(folder, r.needs, "")
		if err != nil {
			return nil, err
		}
		install = append(install, r.needs+"@"+version)
	}
	if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"private": true}`), 0o644); err != nil {
		return nil, err
	}
	if _, err := run(folder, nil, nil, "npm", install...); err != nil {
		return nil, err
	}
	scripts, err := fs.Sub(clients.Files, "node")
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(folder, scripts); err != nil {
		return nil, err
	}
	replies, err := json.Marshal(job.Replies)
	if err != nil {
		return nil, err
	}
	text, err := run(folder, nil, replies, "node", "measure.mjs", r.client.preset, strconv.Itoa(job.Seeds),
		strconv.Itoa(job.Requests))
	if err != nil {
		return nil, err
	}
	var waits map[string][][]float64
	return waits, json.Unmarshal(text, &waits)
}
