// Newest measures the retry decisions of the SDKs that the registries serve today and reports where they differ from
// the presets.
//
//	go run ./newest [-all] [-record FOLDER] [CLIENT[@VERSION]]...
//
// Without arguments it measures the newest version of every client in its table. CLIENT is the name of a policy
// preset; VERSION measures that version instead of the newest, to find where a decision moved. It asks npm and the go
// command for versions and packages, as they are configured, and needs Node 20 for the clients of npm.
//
// The exit status is 0 when every decision is that of the preset, 1 when one moved, and 2 when none moved but a
// client could not be measured, as when a registry cannot be reached. (go run itself exits with 1 for both.)
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"stampede/conformance/clients/measure"
	"stampede/conformance/decisions"
	"stampede/scenario"
)

func main() {
	all := flag.Bool("all", false, "print every decision, not only those that moved")
	record := flag.String("record", "", "write what each client decides to a file in `FOLDER`")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./newest [-all] [-record FOLDER] [CLIENT[@VERSION]]...")
		flag.PrintDefaults()
	}
	flag.Parse()
	asked, err := choose(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	moved, failed := 0, 0
	var results []result
	for _, c := range asked {
		fmt.Fprintf(os.Stderr, "measuring %s\n", c.preset)
		r, err := check(c)
		if err == nil && *record != "" {
			err = r.record(*record)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: not measured: %v\n", c.preset, err)
			failed++
			continue
		}
		moved += r.moved()
		results = append(results, r)
	}
	if len(results) > 0 {
		write(os.Stdout, results, *all)
	}
	switch {
	case moved > 0:
		os.Exit(1)
	case failed > 0:
		os.Exit(2)
	}
}

// choose finds the clients that the arguments name, or all.
func choose(args []string) (out []client, err error) {
	if len(args) == 0 {
		return clientTable, nil
	}
	for _, arg := range args {
		name, version, _ := strings.Cut(arg, "@")
		i := slices.IndexFunc(clientTable, func(c client) bool { return c.preset == name })
		if i < 0 {
			var known []string
			for _, c := range clientTable {
				known = append(known, c.preset)
			}
			return nil, fmt.Errorf("found %q; no such client (known: %s)", name, strings.Join(known, ", "))
		}
		c := clientTable[i]
		c.version = version
		out = append(out, c)
	}
	return out, nil
}

// result is what came of one client.
type result struct {
	client
	path, version string // as the registry names them
	preset        *scenario.Preset
	covered       bool // the range of the preset holds the version
	measured      map[string]decisions.Decision
	rows          []decisions.Row
}

func (r result) moved() (n int) {
	for _, row := range r.rows {
		if row.Moved {
			n += len(row.Replies)
		}
	}
	return n
}

// record writes what was measured, a reply a line, for the tests of package decisions.
func (r result) record(folder string) error {
	var lines []string
	for _, reply := range decisions.Replies {
		text, err := json.Marshal(r.measured[reply.Name])
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%q: %s", reply.Name, text))
	}
	name := fmt.Sprintf("%s-%s.json", r.client.preset, r.version)
	return os.WriteFile(filepath.Join(folder, name), []byte("{\n"+strings.Join(lines, ",\n")+"\n}\n"), 0o644)
}

// check measures a client and compares it with the preset of its version, or else of the newest one known.
func check(c client) (r result, err error) {
	r.client = c
	folder, err := os.MkdirTemp("", "newest")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if r.path, r.version, err = c.registry.find(folder, c.path, c.version); err != nil {
		return r, err
	}
	if r.preset, r.covered, err = presetOf(c.preset, r.version); err != nil {
		return r, err
	}
	job := measure.Job{Seeds: decisions.Seeds, Requests: decisions.MaxRequests}
	for _, reply := range decisions.Replies {
		job.Replies = append(job.Replies, reply.Sent(c.dialect))
	}
	waits, err := c.registry.measure(folder, r, job)
	if err != nil {
		return r, err
	}
	r.measured = map[string]decisions.Decision{}
	for reply, calls := range waits {
		r.measured[reply] = decisions.Measured(calls)
	}
	policy, err := r.preset.Client()
	if err != nil {
		return r, err
	}
	r.rows, err = decisions.Compare(policy, c.treats, r.measured)
	return r, err
}

// presetOf is the preset of a version of a client, or the one of the highest versions where none covers it.
func presetOf(name, version string) (p *scenario.Preset, covered bool, err error) {
	if p, err = scenario.FindPreset("policy", name+"@"+version); err == nil {
		return p, true, nil
	}
	if p = scenario.LatestPreset(name); p == nil {
		return nil, false, err
	}
	return p, false, nil
}

// write prints one line for each client and below it the decisions that moved, or all.
func write(out io.Writer, results []result, all bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "client\tpackage\tversion\tpreset\treplies\tmoved")
	for _, r := range results {
		replies := 0
		for _, row := range r.rows {
			replies += len(row.Replies)
		}
		versions := r.preset.Versions
		if !r.covered {
			versions += " (extend)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\n", r.client.preset, r.path, r.version, versions, replies, r.moved())
	}
	w.Flush()
	for _, r := range results {
		if !all && r.moved() == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s %s against %s@%s\n", r.client.preset, r.version, r.client.preset, r.preset.Versions)
		for _, row := range r.rows {
			switch {
			case row.Moved:
				fmt.Fprintf(out, "  MOVED  %s\n         preset: %s\n         client: %s\n",
					strings.Join(row.Replies, "; "), row.Preset, row.Client)
			case all:
				fmt.Fprintf(out, "  same   %s\n         %s\n", strings.Join(row.Replies, "; "), row.Preset)
			}
		}
	}
}
