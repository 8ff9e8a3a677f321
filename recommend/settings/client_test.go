package settings

import (
	"slices"
	"strings"
	"testing"
	"time"

	"stampede/policy"
	"stampede/scenario"
)

// ownTheLoop is a policy that says most of what a policy can say.
func ownTheLoop(t *testing.T) policy.Client {
	t.Helper()
	p, err := scenario.FindPreset("policy", "own-the-loop")
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Client()
	if err != nil {
		t.Fatal(err)
	}
	c.Gate.Semaphore = 16
	return c
}

// Each client starts from a preset, and its settings are fields of a policy.
func TestClientsStartFromPresets(t *testing.T) {
	if n := len(clients); n != 32 {
		t.Errorf("%d clients", n)
	}
	known := map[string]bool{}
	for _, f := range fields {
		known[f.path] = true
	}
	for _, c := range clients {
		if _, err := c.Start(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		for _, path := range c.Sets {
			if !known[path] {
				t.Errorf("%s sets %s, which is no field", c.Name, path)
			}
			if _, err := scenario.FindField(path); err != nil {
				t.Errorf("%s sets %s: %v", c.Name, path, err)
			}
		}
		for path, near := range c.Instead {
			if c.Can(path) || !c.Can(near) {
				t.Errorf("%s: %s stands for %s; want one that can be set for one that cannot", c.Name, near, path)
			}
		}
		if c.Can(attemptsPath) != (c.Counts != Neither) {
			t.Errorf("%s counts %s and sets %v", c.Name, c.Counts, c.Sets)
		}
	}
}

func TestFind(t *testing.T) {
	c, err := Find("openai-python")
	if err != nil || c.Preset != "openai-python@3.3.1" {
		t.Errorf("found %v, %v", c, err)
	}
	if c, err = Find("openai-python@2.46"); err != nil || c.Preset != "openai-python@2.46" {
		t.Errorf("found %v, %v", c, err)
	}
	for name, want := range map[string]string{
		"opneai-python":     `did you mean "openai-python"?`,
		"openai-python@0.1": "found \"openai-python@0.1\"; no rule is known for version 0.1",
		"tenacity@":         "no rule is known for version",
	} {
		_, err := Find(name)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "found") != 1 {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if names := Names(); !slices.IsSorted(names) || !slices.Contains(names, "envoy") {
		t.Errorf("names %v", names)
	}
}

// What recommend.md calls the two spaces: an SDK has its attempts, its timeout and a gate, a loop of one's own
// everything.
func TestCan(t *testing.T) {
	for _, c := range []struct {
		client, path string
		want         bool
	}{
		{"openai-python", "policy.retry.attempts", true},
		{"openai-python", "policy.timeouts.gap", true},
		{"openai-python", "policy.gate.semaphore", true},
		{"openai-python", "policy.retry.backoff.exponential.base", false},
		{"openai-python", "policy.retry.backoff", false},
		{"openai-python", "policy.retry.deadline", false},
		{"openai-python", "policy.retry", false},
		{"openai-python", "policy", false},
		{"openai-python", "fleet.workers", true},
		{"openai-go", "policy.retry.backoff.exponential.cap", true},
		{"tenacity", "policy.retry.backoff.exponential.jitter", true},
		{"tenacity", "policy.retry.retry_after.obey", true},
		{"tenacity", "policy.breaker", false},
	} {
		found, err := Find(c.client)
		if err != nil {
			t.Fatal(err)
		}
		if got := found.Can(c.path); got != c.want {
			t.Errorf("%s, %s: %v", c.client, c.path, got)
		}
	}
}

// The policy of a client itself can be said without a rest, except where the printed loop takes the place of
// another.
func TestClientsSayTheirOwnPresets(t *testing.T) {
	for _, c := range clients {
		start, err := c.Start()
		if err != nil {
			t.Fatal(err)
		}
		unsaid, err := c.Unsaid(start)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range unsaid {
			if c.Name == "cenkalti-backoff" && u.Path == retryOnPath || c.Name == "instructor" && u.Path == hintPath {
				continue // the operation ends with the headers; the SDK inside does not retry
			}
			t.Errorf("%s cannot say its own %v", c.Name, u)
		}
	}
}

// What openai-python cannot be told of a loop of one's own, and what stands for it.
func TestUnsaid(t *testing.T) {
	c, err := Find("openai-python")
	if err != nil {
		t.Fatal(err)
	}
	wanted := ownTheLoop(t)
	wanted.Timeouts = policy.Timeouts{Attempt: []time.Duration{60 * time.Second}}
	unsaid, err := c.Unsaid(wanted)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range unsaid {
		got = append(got, u.String())
	}
	want := []string{
		"deadline 45s: cannot be set; set instead: policy.timeouts.call 45s",
		"retry_on 429, 5xx, timeout, connection: cannot be set; it stays 408, 409, 429, 5xx, timeout, connection",
		"never_on insufficient_quota: cannot be set; it stays none",
		"backoff exponential 500ms x2 cap 20s full jitter: cannot be set; it stays exponential 500ms x2 cap 8s minus " +
			"up to 25%",
		"retry_after in full: cannot be set; it stays up to 2m0s else give up (retry-after-ms read first)",
		"attempt timeout 1m: cannot be set; set instead: policy.timeouts.gap 1m",
	}
	if !slices.Equal(got, want) {
		t.Errorf("unsaid\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	does, err := c.Does(wanted)
	if err != nil {
		t.Fatal(err)
	}
	if does.Retry.Attempts != 6 || does.Timeouts.Gap != time.Minute || does.Timeouts.Call != 45*time.Second ||
		does.Gate.Semaphore != 16 || does.Retry.Backoff.Cap != 8*time.Second {
		t.Errorf("it does %v", does.Describe())
	}
}

// What a client does with the settings of a policy is a policy that it can say without a rest, and that gives the
// same settings: printing them again changes nothing.
func TestWhatAClientDoesCanBeSaid(t *testing.T) {
	for _, c := range clients {
		for kind, wanted := range policies(t) {
			does, err := c.Does(wanted)
			if err != nil {
				t.Fatal(err)
			}
			unsaid, err := c.Unsaid(does)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range unsaid {
				t.Errorf("%s, %s: it does %v, and cannot say %v", c.Name, kind, does.Describe(), u)
			}
		}
	}
}

// The adaptive mode of botocore is its rate limiter.
func TestBotocoreModes(t *testing.T) {
	for preset, mode := range map[string]string{
		"botocore-standard@1.43": "standard", "botocore-adaptive@1.43": "adaptive",
	} {
		if text := print(t, "botocore", presetOf(preset)); !strings.Contains(text, `"mode": "`+mode+`"`) ||
			strings.Contains(text, "cannot be set") {
			t.Errorf("%s is printed as\n%s", preset, text)
		}
	}
}

// A timeout of none is left out or said where a client can be without one, and stays what it is where not: a timeout
// of 0 would end each attempt at once.
func TestNoTimeoutIsNotZero(t *testing.T) {
	wanted := policy.Client{Retry: policy.Retry{Attempts: 2, Backoff: policy.Backoff{Base: time.Second, Factor: 2}}}
	for _, c := range clients {
		for _, zero := range []string{
			"timeout: 0,", "timeout=0,", "timeoutInSeconds: 0,", `seconds": 0,`, "connect=0",
		} {
			if text := print(t, c.Name, wanted); strings.Contains(text, zero) {
				t.Errorf("%s: %s in\n%s", c.Name, zero, text)
			}
		}
	}
	for name, want := range map[string]string{
		"openai-node": "timeout: 600000,", "groq-node": "timeout: 60000,", "botocore": "read_timeout=60,",
	} {
		if text := print(t, name, wanted); !strings.Contains(text, want) {
			t.Errorf("%s: %q is missing in\n%s", name, want, text)
		}
	}
}

// A loop of one's own can be told not to wait.
func TestNoWait(t *testing.T) {
	wanted := policy.Client{Retry: policy.Retry{Attempts: 3}}
	for _, name := range []string{"tenacity", "cenkalti-backoff", "go-retryablehttp", "aws-sdk-go", "polly"} {
		c, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if does, err := c.Does(wanted); err != nil || does.Retry.Backoff.On() {
			t.Errorf("%s waits %v (%v)", name, does.Retry.Backoff.Describe(), err)
		}
	}
}

// The cap that openai-go has without its option is that of its preset: the template leaves the option out then.
func TestOpenAICapIsThatOfThePreset(t *testing.T) {
	if got := presetOf("openai-go@3.99").Retry.Backoff.Cap; got != openAICap {
		t.Errorf("the preset has %v, the template %v", got, time.Duration(openAICap))
	}
}
