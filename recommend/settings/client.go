// Package settings says a policy in the words of a client that people have: an SDK, a retry library, a
// proxy. Each client can express a part of what a policy says; the rest stays as in the preset of that
// client.
//
// [Find] finds a client. [Client.Can] says which fields of a scenario can be chosen for it, [Client.Does]
// what it will do when a policy is printed for it, and [Client.Print] prints code or configuration, with
// what could not be said in comments. The template of a client is templates/NAME.tmpl.
package settings

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"stampede/internal/nearest"
	"stampede/policy"
	"stampede/scenario"
)

// Client is an SDK, library or proxy, and what of a policy can be set there.
type Client struct {
	Name string
	// Preset is the policy that it starts from, with the version: what cannot be set stays as it is there.
	Preset string
	Source string // where the names of its settings were read, with version and date
	Counts Counting
	Sets   []string
	// Jitters are those that can be set, where policy.retry.backoff.exponential.jitter is among Sets.
	Jitters []policy.Jitter
	// Unlimited says that attempts may be unlimited.
	Unlimited bool
	// Instead maps a field that cannot be set to one that can and comes closest.
	Instead map[string]string

	timed   bool                              // its timeouts cannot be switched off
	goCode  bool                              // the template is Go code without imports
	comment string                            // how a line of comment begins
	fit     func(wanted, does *policy.Client) // bounds what can be set further; nil when nothing is
}

// Counting is what the number of a client's setting counts.
type Counting string

const (
	Attempts Counting = "attempts" // the first included
	Retries  Counting = "retries"  // attempts less one
	Neither  Counting = "neither"  // the number of attempts cannot be set
)

// Names lists the clients in order.
func Names() (names []string) {
	for _, c := range clients {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return names
}

// Find finds a client by name, or by name@version where its preset has versions.
func Find(name string) (*Client, error) {
	base, version, versioned := strings.Cut(name, "@")
	i := slices.IndexFunc(clients, func(c Client) bool { return c.Name == base })
	if i < 0 {
		return nil, fmt.Errorf("found %q; no such client; %s", name, nearest.Unknown(base, Names()))
	}
	c := clients[i]
	if versioned {
		preset, _, _ := strings.Cut(c.Preset, "@")
		c.Preset = preset + "@" + version
		if _, err := scenario.FindPreset("policy", c.Preset); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

// Start is the policy that the client starts from: what it does with no setting.
func (c *Client) Start() (policy.Client, error) {
	p, err := scenario.FindPreset("policy", c.Preset)
	if err != nil {
		return policy.Client{}, err
	}
	return p.Client()
}

// Can reports whether a field of a scenario can be chosen for the client. Fields outside the policy always
// can; a group of fields can when each of them can.
func (c *Client) Can(path string) bool {
	if path != "policy" && !strings.HasPrefix(path, "policy.") {
		return true
	}
	return slices.ContainsFunc(c.Sets, func(set string) bool { return within(path, set) })
}

// within reports whether a path is another or lies within it.
func within(path, of string) bool { return path == of || strings.HasPrefix(path, of+".") }

// Does is what the client does with the settings that Print prints for a policy.
func (c *Client) Does(wanted policy.Client) (policy.Client, error) {
	does, err := c.Start()
	if err != nil {
		return does, err
	}
	start := does
	wanted, does = own(wanted), own(does)
	for _, f := range fields {
		if c.Can(f.path) {
			f.copy(&does, &wanted)
		}
	}
	if c.Can(attemptsPath) && wanted.Retry.Attempts == 0 && !c.Unlimited {
		does.Retry.Attempts = start.Retry.Attempts
	}
	c.backoff(&wanted, &does, &start)
	if c.Can(callPath) {
		does.Timeouts.Call = wall(&wanted, c.Can(deadlinePath))
	}
	if c.fit != nil {
		c.fit(&wanted, &does)
	}
	if c.timed {
		keepTimers(&does.Timeouts, &start.Timeouts)
	}
	if call := does.Timeouts.Call; call > 0 && (does.Retry.Deadline == 0 || call < does.Retry.Deadline) {
		does.Retry.Deadline = call
	}
	return does, nil
}

// backoff takes back what of a backoff cannot be set: a jitter, a kind of growth.
func (c *Client) backoff(wanted, does, start *policy.Client) {
	w, d := &wanted.Retry.Backoff, &does.Retry.Backoff
	exponential := w.Growth == policy.Exponential && w.Law == nil && w.Window == 0
	switch {
	case !exponential, !w.On() && !c.Can(minPath): // a function of one's own can say that it does not wait
		*d = start.Retry.Backoff
	case c.Can(jitterPath) && !slices.Contains(c.Jitters, w.Jitter):
		d.Jitter, d.Share, d.Plus, d.Min = start.Retry.Backoff.Jitter, start.Retry.Backoff.Share,
			start.Retry.Backoff.Plus, start.Retry.Backoff.Min
	}
}

// own is a policy without what is derived of it: the deadline of the retries that its call timeout sets.
func own(c policy.Client) policy.Client {
	if c.Timeouts.Call > 0 && c.Retry.Deadline == c.Timeouts.Call {
		c.Retry.Deadline = 0
	}
	return c
}

// wall is the bound of the whole call: the timeout of the call, its deadline, or the deadline of the retries
// where that cannot be set by itself.
func wall(c *policy.Client, deadlines bool) (least time.Duration) {
	bounds := []time.Duration{c.Timeouts.Call, c.Deadline.After}
	if !deadlines {
		bounds = append(bounds, c.Retry.Deadline)
	}
	for _, d := range bounds {
		if d > 0 && (least == 0 || d < least) {
			least = d
		}
	}
	return least
}
