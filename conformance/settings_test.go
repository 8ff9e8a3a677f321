package conformance

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/hashicorp/go-retryablehttp"
	openaisdk "github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	genaisdk "google.golang.org/genai"

	"stampede/conformance/clients/measure"
	anthropicgo "stampede/conformance/settings/anthropic-go"
	awssdkgo "stampede/conformance/settings/aws-sdk-go"
	cenkalti "stampede/conformance/settings/cenkalti-backoff"
	retryablehttp07 "stampede/conformance/settings/go-retryablehttp"
	genaigo "stampede/conformance/settings/google-genai-go"
	openaigo "stampede/conformance/settings/openai-go"
	"stampede/policy"
	"stampede/recommend/settings"
	"stampede/wire"
)

// printed is a client that is built from the settings that are printed for a policy.
type printed struct {
	name string
	ask  measure.Ask
}

// post sends a request of its own.
func post(ctx context.Context) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodPost, "https://api.example/", strings.NewReader("{}"))
}

// closed is the error of a reply, which is closed.
func closed(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		return errors.New(resp.Status)
	}
	return nil
}

var allPrinted = []printed{
	{"openai-go", func(ctx context.Context, base http.RoundTripper) error {
		_, err := openaigo.Ask(ctx, openaigo.New(base, openaioption.WithAPIKey("k")),
			openaisdk.ChatCompletionNewParams{
				Model:    "m",
				Messages: []openaisdk.ChatCompletionMessageParamUnion{openaisdk.UserMessage("hello")},
			})
		return err
	}},
	{"anthropic-go", func(ctx context.Context, base http.RoundTripper) error {
		_, err := anthropicgo.Ask(ctx, anthropicgo.New(base, anthropicoption.WithAPIKey("k")),
			anthropicsdk.MessageNewParams{
				Model: "m", MaxTokens: 100,
				Messages: []anthropicsdk.MessageParam{
					anthropicsdk.NewUserMessage(anthropicsdk.NewTextBlock("hello")),
				},
			})
		return err
	}},
	{"google-genai-go", func(ctx context.Context, base http.RoundTripper) error {
		client, err := genaigo.New(ctx, base)
		if err != nil {
			return err
		}
		_, err = genaigo.Ask(ctx, client, "m", genaisdk.Text("hello"), nil)
		return err
	}},
	{"cenkalti-backoff", func(ctx context.Context, base http.RoundTripper) error {
		return closed(cenkalti.Do(ctx, cenkalti.New(base), post))
	}},
	{"go-retryablehttp", func(ctx context.Context, base http.RoundTripper) error {
		r, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, "https://api.example/", []byte("{}"))
		if err != nil {
			return err
		}
		client := retryablehttp07.New(base)
		client.Logger = nil
		return closed(retryablehttp07.Do(client, r))
	}},
}

// wantedPolicy is the policy whose settings are printed and built: own-the-loop behind a gate of 16, with a pace that
// no call of six attempts has to wait for.
func wantedPolicy(t *testing.T) policy.Client {
	t.Helper()
	c := clientOf(t, "own-the-loop")
	c.Gate.Semaphore = 16
	c.Pacer.Bucket = policy.PaceBucket{Rate: 100, Burst: 20}
	return c
}

// doesOf is what a client is said to do with the settings that are printed for the policy.
func doesOf(t *testing.T, name string) policy.Client {
	t.Helper()
	client, err := settings.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	does, err := client.Does(wantedPolicy(t))
	if err != nil {
		t.Fatal(err)
	}
	return does
}

// The packages of this folder are what is printed. UPDATE_SETTINGS=1 writes them.
func TestPrintedSettingsAreTheseFiles(t *testing.T) {
	names := []string{"aws-sdk-go"}
	for _, c := range allPrinted {
		names = append(names, c.name)
	}
	for _, name := range names {
		client, err := settings.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if _, err := client.Print(&got, wantedPolicy(t)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("settings", name, "client.go")
		if os.Getenv("UPDATE_SETTINGS") != "" {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || got.String() != string(want) {
			t.Errorf("%s is not what is printed (%v)", path, err)
		}
	}
}

// What the clients are built for: statuses that some retry, and waits that servers ask for, below and above the limits.
var builtReplies = []wire.Reply{
	{Status: 500}, {Status: 503}, {Status: 529}, {Status: 429}, {Status: 409}, {Status: 400}, {Status: 501},
	{Status: 429, RetryAfter: wire.After(5 * time.Second)}, {Status: 429, RetryAfter: wire.After(19 * time.Second)},
	{Status: 503, RetryAfter: wire.After(30 * time.Second)}, {Status: 429, RetryAfter: wire.After(50 * time.Second)},
	{Status: 429, RetryAfter: wire.After(130 * time.Second)},
}

// Built from the printed settings, each client makes as many requests as it is said to, and its waits lie where
// they are said to lie: exactly, where a server asks for them.
func TestPrintedSettingsWaitAsTheySay(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "k")
	for _, client := range allPrinted {
		does := doesOf(t, client.name)
		for _, reply := range builtReplies {
			sent := measure.Reply{Name: client.name, Status: reply.Status, Body: "{}", Header: map[string]string{}}
			if reply.RetryAfter.Form == wire.Seconds {
				sent.Header["Retry-After"] = strconv.FormatFloat(reply.RetryAfter.Value, 'f', -1, 64)
			}
			for range 5 {
				got := measure.Waits(t, client.ask, sent, 20)
				a, jittered := predicted(does, reply, 0)
				b, _ := predicted(does, reply, 1)
				ok := len(got) == len(a)
				for i := range min(len(got), len(a)) {
					low, high := min(a[i], b[i]).Seconds(), max(a[i], b[i]).Seconds()
					ok = ok && got[i] >= low && got[i] <= high && (jittered || got[i] == low)
				}
				if !ok {
					t.Errorf("%s, %d, Retry-After %v: it waits %v, and is said to wait %v to %v", client.name,
						reply.Status, reply.RetryAfter.Value, got, a, b)
				}
			}
		}
	}
}

// The second waits of 500 calls are uniform where they are said to be. Kolmogorov-Smirnov at 1 in 1,000.
func TestPrintedSettingsSpreadTheirWaits(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "k")
	for _, client := range allPrinted {
		does := doesOf(t, client.name)
		var sample []float64
		for range 500 {
			got := measure.Waits(t, client.ask, measure.Reply{Name: client.name, Status: 500, Body: "{}"}, 20)
			sample = append(sample, got[1])
		}
		low, high := does.Retry.Backoff.Range(1)
		if d, critical := uniform(sample, low.Seconds(), high.Seconds()); d > critical {
			t.Errorf("%s: %.4f from uniform on %v..%v", client.name, d, low, high)
		}
	}
}

// The retryer of the AWS SDK that is built from the printed settings: attempts, the law of each wait, and no quota.
func TestPrintedRetryerOfAWS(t *testing.T) {
	does := doesOf(t, "aws-sdk-go")
	var config aws.Config
	awssdkgo.Configure(&config, http.DefaultTransport)
	retryer := config.Retryer()
	if retryer.MaxAttempts() != does.Retry.Attempts || does.Retry.Attempts != 6 {
		t.Errorf("%d attempts, said to be %d, want 6", retryer.MaxAttempts(), does.Retry.Attempts)
	}
	for _, err := range []error{throttle{}, errors.New("failure")} {
		for attempt := 1; attempt < does.Retry.Attempts; attempt++ {
			var sample []float64
			for range 2000 {
				wait, err := retryer.RetryDelay(attempt, err)
				if err != nil {
					t.Fatal(err)
				}
				sample = append(sample, wait.Seconds())
			}
			low, high := does.Retry.Backoff.Range(attempt - 1)
			if d, critical := uniform(sample, low.Seconds(), high.Seconds()); d > critical {
				t.Errorf("%v, attempt %d: %.4f from uniform on %v..%v", err, attempt, d, low, high)
			}
		}
		for i := range 1000 {
			if _, err := retryer.GetRetryToken(t.Context(), err); err != nil {
				t.Fatalf("retry %d is not paid: %v", i+1, err)
			}
		}
	}
}

// slow answers each request after a second, and counts those in flight.
type slow struct{ now, most atomic.Int64 }

// RoundTrip implements http.RoundTripper.
func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if n := s.now.Add(1); n > s.most.Load() {
		s.most.Store(n)
	}
	defer s.now.Add(-1)
	time.Sleep(time.Second)
	if r.Body != nil {
		r.Body.Close()
	}
	return &http.Response{StatusCode: 400, Status: "400 Bad Request", Header: http.Header{}, Body: http.NoBody,
		Request: r}, nil
}

// Of forty calls of one client sixteen are in flight at once, since the gate is of sixteen: they take three seconds.
func TestPrintedGate(t *testing.T) {
	for _, build := range []func(http.RoundTripper) *http.Client{
		cenkalti.New,
		func(base http.RoundTripper) *http.Client { return retryablehttp07.New(base).HTTPClient },
	} {
		synctest.Test(t, func(t *testing.T) {
			base := &slow{}
			client := build(base)
			done := make(chan error)
			start := time.Now()
			for range 40 {
				go func() {
					r, err := post(t.Context())
					if err != nil {
						done <- err
						return
					}
					resp, err := client.Do(r)
					if err == nil {
						err = resp.Body.Close()
					}
					done <- err
				}()
			}
			for range 40 {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			// The pace lets 20 go at once, and 100 a second more.
			took := time.Since(start)
			if base.most.Load() != 16 || took < 3*time.Second || took > 3500*time.Millisecond {
				t.Errorf("%d in flight, done after %v; want 16 and 3 s", base.most.Load(), took)
			}
		})
	}
}
