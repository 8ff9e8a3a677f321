package settings

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stampede/policy"
)

// print is what is printed of a client for a policy.
func print(t *testing.T, name string, wanted policy.Client) string {
	t.Helper()
	c, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := c.Print(&out, wanted); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out.String()
}

// What is printed of each client for one policy, own-the-loop behind a gate of 16, is in a file that a reader can
// hold against the client's documentation. UPDATE_SETTINGS=1 writes them.
func TestGoldenSettings(t *testing.T) {
	for _, name := range Names() {
		got := print(t, name, ownTheLoop(t))
		path := filepath.Join("testdata", name+".txt")
		if os.Getenv("UPDATE_SETTINGS") != "" {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from %s:\n%s", name, path, got)
		}
	}
}

// Six attempts are five retries, sixty seconds are sixty thousand milliseconds: what each client counts, and in
// which unit, written by hand from its documentation.
func TestCountsAndUnits(t *testing.T) {
	wanted := ownTheLoop(t) // 6 attempts; 500 ms x2 up to 20 s, full jitter; deadline 45 s; silence 60 s; gate 16
	for name, want := range map[string][]string{
		"openai-python": {
			"max_retries=5,", "connect=5, read=60", "max_connections=16", "asyncio.timeout(45)",
		},
		"anthropic-python": {
			"max_retries=5,", "connect=5, read=60", "max_connections=16", "asyncio.timeout(45)",
		},
		"google-genai-python": {
			"attempts=6,", "timeout=60000,", "initial_delay=0.5,", "max_delay=20,", "exp_base=2,",
		},
		"litellm-router":   {"num_retries=5,", "timeout=60,", `"max_parallel_requests": 16`},
		"langchain-python": {"max_retries=5,", "connect=5, read=60", "max_connections=16"},
		"llamaindex":       {"max_retries=2,", "timeout=60,", "at most 6 requests"}, // 3 requests, 2 times
		"tenacity": {
			"max_retries=0,", "stop_after_attempt(6) | stop_before_delay(45)", "asyncio.timeout(60)",
		},
		"backoff": {
			"max_tries=6,", "base=2,", "factor=0.5,", "max_value=20,", "jitter=backoff.full_jitter",
		},
		"instructor":    {"max_retries=0,", "stop_after_attempt(6) | stop_before_delay(45)", "read=60"},
		"cohere-python": {`"max_retries": 5,`, `"timeout_in_seconds": 60,`, "Semaphore(16)"},
		"mistral-python": {"initial_interval=500,", "max_interval=20000,", "exponent=2,", "max_elapsed_time=45000,",
			"timeout_ms=60000,"},
		"botocore": {`"total_max_attempts": 6`, "connect_timeout=5,", "read_timeout=60,"},

		"openai-node": {"maxRetries: 5,", "timeout: 60000,", "pLimit(16)", "AbortSignal.timeout(45000)"},
		"anthropic-typescript": {
			"maxRetries: 5,", "timeout: 60000,", "pLimit(16)", "AbortSignal.timeout(45000)",
		},
		"groq-node": {"maxRetries: 5,", "timeout: 60000,", "pLimit(16)", "AbortSignal.timeout(45000)"},
		"google-genai-js": {
			"attempts: 6,", "timeout: 60000,", "initialDelay: 0.5,", "maxDelay: 20,", "expBase: 2,",
		},
		"langchain-js": {"maxRetries: 5,", "timeout: 60000,", "maxConcurrency: 16,"},
		"vercel-ai":    {"maxRetries: 5,", "totalMs: 45000"},
		"cohere-js":    {"maxRetries: 5,", "timeoutInSeconds: 60,"},
		"mistral-js": {
			"initialInterval: 500,", "maxInterval: 20000,", "maxElapsedTime: 45000,", "timeoutMs: 60000,",
		},
		"p-retry": {
			"maxRetries: 0,", "retries: 5,", "minTimeout: 500,", "maxTimeout: 20000,", "factor: 2,",
		},

		"openai-go": {
			"WithMaxRetries(5)", "WithMaxRetryDelay(20 * time.Second)", "NewWeighted(16)", "45*time.Second",
		},
		"anthropic-go": {"WithMaxRetries(5)", "WithRequestTimeout(1 * time.Minute)", "NewWeighted(16)"},
		"google-genai-go": {
			"genai.Ptr[int32](6)", "InitialDelay:    genai.Ptr[float64](0.5)", "genai.Ptr[float64](20)",
		},
		"aws-sdk-go": {
			"o.MaxAttempts = 6", "min(20, 0.5*math.Pow(2, float64(i)))*rand.Float64()", "ratelimit.None",
		},
		"cenkalti-backoff": {"WithMaxTries(6)", "WithMaxElapsedTime(45*time.Second)", "1*time.Minute"},
		"go-retryablehttp": {"c.RetryMax = 5", "45*time.Second", "1*time.Minute", "NewWeighted(16)"},

		"polly": {
			"MaxRetryAttempts = 5,", "AddTimeout(TimeSpan.FromSeconds(45))", "AddTimeout(TimeSpan.FromSeconds(60))",
			"AddConcurrencyLimiter(16,",
		},
		"resilience4j": {"maxAttempts: 6 ", "waitDuration: 500ms", "exponentialBackoffMultiplier: 2\n",
			"exponentialMaxWaitDuration: 20s", "timeoutDuration: 60s", "maxConcurrentCalls: 16"},
		"spring-ai": {"max-attempts: 6 ", "initial-interval: 500ms", "multiplier: 2 ", "max-interval: 20s",
			"on-http-codes: 429 "},
		"envoy": {"num_retries: 5 ", "per_try_timeout: 60s", "base_interval: 0.5s", "max_interval: 20s", "timeout: 45s",
			"retriable_status_codes: [429]", "max_connections: 16 "},
		"grpc": {
			`"maxAttempts": 5,`, `"initialBackoff": "0.5s"`, `"maxBackoff": "20s"`, `"timeout": "45s"`,
		},
	} {
		close := strings.NewReplacer(" * ", "*") // gofmt leaves the spaces out in some places
		text := close.Replace(print(t, name, wanted))
		for _, part := range want {
			if !strings.Contains(text, close.Replace(part)) {
				t.Errorf("%s: %q is missing in\n%s", name, part, text)
			}
		}
	}
	if got := len(Names()); got != 32 {
		t.Errorf("%d clients have rows here", got)
	}
}

// policies are such that templates take each of their branches.
func policies(t *testing.T) map[string]policy.Client {
	bare := policy.Client{Retry: policy.Retry{Attempts: 1}}
	all := map[string]policy.Client{"bare": bare, "own": ownTheLoop(t)}
	for _, jitter := range simpleJitters {
		c := ownTheLoop(t)
		c.Retry.Backoff.Jitter, c.Retry.Backoff.Share, c.Retry.Backoff.Plus = jitter, 0.25, time.Second
		c.Retry.RetryAfter = policy.RetryAfter{
			Obey: policy.UpTo, Limit: time.Minute, Beyond: policy.Beyond(jitter % 3),
		}
		c.Timeouts = policy.Timeouts{Attempt: []time.Duration{30 * time.Second}, Call: time.Minute}
		c.Pacer.Bucket = policy.PaceBucket{Rate: 5, Burst: 10}
		all["jitter "+jitter.String()] = c
	}
	endless := ownTheLoop(t)
	endless.Retry.Attempts, endless.Retry.Deadline, endless.Retry.Backoff = 0, 0, policy.Backoff{}
	endless.Retry.RetryAfter, endless.Gate, endless.Timeouts = policy.RetryAfter{}, policy.Gate{}, policy.Timeouts{}
	all["endless"] = endless
	least := ownTheLoop(t)
	least.Retry.Backoff.Min, least.Retry.Backoff.Cap, least.Gate.Wait = time.Second, 0, time.Minute
	all["least"] = least
	return all
}

// What is printed is code that its language can read: Go is formatted, which parses it; Python and JavaScript are
// read by their own programs, where these are installed.
func TestPrintedCodeParses(t *testing.T) {
	for _, in := range []struct {
		program, ending string
		args            []string
		clients         []Client
	}{
		{"python3", ".py", []string{"-c", "import ast, sys; [ast.parse(open(f).read(), f) for f in sys.argv[1:]]"},
			pythonClients},
		{"node", ".mjs", []string{"--check"}, javaScriptClients},
		{"", ".txt", nil, append(goClients, otherClients...)},
	} {
		dir := t.TempDir()
		var files []string
		for _, c := range in.clients {
			for kind, wanted := range policies(t) {
				text := print(t, c.Name, wanted)
				if strings.Contains(text, "<no value>") || strings.Contains(text, "%!") {
					t.Errorf("%s, %s: a value is missing in\n%s", c.Name, kind, text)
				}
				file := filepath.Join(dir, c.Name+" "+kind+in.ending)
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				files = append(files, file)
			}
		}
		if _, err := exec.LookPath(in.program); err != nil {
			continue
		}
		each := [][]string{files}
		if in.program == "node" { // it checks one file at a time
			each = nil
			for _, c := range in.clients {
				each = append(each, []string{filepath.Join(dir, c.Name+" own.mjs")},
					[]string{filepath.Join(dir, c.Name+" jitter equal.mjs")})
			}
		}
		for _, some := range each {
			if out, err := exec.Command(in.program, append(in.args, some...)...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", in.program, err, out)
			}
		}
	}
}

// The expressions of a wait are the formula of policy.Backoff: at u = 1/2, retry 2, of 1 s x3 up to 10 s.
func TestExpressions(t *testing.T) {
	c := policy.Client{}
	c.Retry.Backoff = policy.Backoff{
		Base: time.Second, Factor: 3, Cap: 10 * time.Second, Share: 0.2, Plus: 2 * time.Second,
	}
	for jitter, want := range map[policy.Jitter]string{
		policy.NoJitter:    "min(10, 1 * math.Pow(3, float64(i)))",
		policy.Equal:       "min(10, 1 * math.Pow(3, float64(i))) * (0.5 + 0.5 * rand.Float64())",
		policy.Full:        "min(10, 1 * math.Pow(3, float64(i))) * rand.Float64()",
		policy.MinusShare:  "min(10, 1 * math.Pow(3, float64(i))) * (1 - 0.2 * rand.Float64())",
		policy.Around:      "min(10, 1 * math.Pow(3, float64(i))) * (0.8 + 0.4 * rand.Float64())",
		policy.Stretch:     "min(10, 1 * math.Pow(3, float64(i)) * (1 + 0.2 * rand.Float64()))",
		policy.PlusSpan:    "min(10, 1 * math.Pow(3, float64(i)) + 2 * rand.Float64())",
		policy.PlusBeyond:  "min(10, 1 * math.Pow(3, float64(i))) + 2 * rand.Float64()",
		policy.PlusGrowing: "min(10, 1 * math.Pow(3, float64(i))) + 2 * (float64(i) + 1) * rand.Float64()",
	} {
		c.Retry.Backoff.Jitter = jitter
		if got := (page{Client: &c}).Wait("go"); got != want {
			t.Errorf("%v: %s, want %s", jitter, got, want)
		}
	}
}

// Which statuses are retried is a condition, also where none are.
func TestStatusConditions(t *testing.T) {
	c := policy.Client{}
	p := page{Client: &c}
	if python, golang := p.InStatuses("s", "and", "or"), p.InStatuses("s", "&&", "||"); python != "False" ||
		golang != "false" {
		t.Errorf("none: %s, %s", python, golang)
	}
	c.Retry.Classify.Statuses = []policy.Statuses{{From: 429, To: 429}, {From: 502, To: 504}, {From: 520, To: 599}}
	const want = "s == 429 or s >= 502 and s <= 504 or s >= 520"
	if got := p.InStatuses("s", "and", "or"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A writer that fails ends the printing.
func TestPrintReportsWriteErrors(t *testing.T) {
	c, err := Find("grpc")
	if err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	r.Close()
	if _, err := c.Print(w, ownTheLoop(t)); err == nil {
		t.Error("no error")
	}
}
