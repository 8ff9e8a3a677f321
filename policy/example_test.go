package policy_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"

	"stampede/policy"
	"stampede/wire"
)

// get asks for a page until the policy says that the call has ended.
func get(retry policy.Retry, url string) (outcome policy.Outcome, attempts int) {
	start := time.Now()
	var lastWait time.Duration
	for attempts = 1; ; attempts++ {
		var reply wire.Reply
		if resp, err := http.Get(url); err != nil {
			reply.Failure = wire.Connection
		} else {
			resp.Body.Close()
			reply.Status = resp.StatusCode
			if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
				reply.RetryAfter = wire.After(time.Duration(seconds) * time.Second)
			}
		}
		d := retry.Decide(&policy.Facts{
			Now: time.Since(start), Attempt: attempts, LastWait: lastWait, Reply: &reply, U: rand.Float64(),
		})
		if !d.Again {
			return d.Outcome, attempts
		}
		time.Sleep(d.Wait)
		lastWait = d.Wait
	}
}

// Retry drives any client: hand it what came back, and it decides what to do next. The uniform number is fresh
// for each decision.
func ExampleRetry_Decide() {
	retry := policy.Retry{
		Attempts: 4,
		Deadline: 30 * time.Second,
		Classify: policy.Classifier{
			Statuses: []policy.Statuses{{From: 429, To: 429}, {From: 500, To: 599}},
			Timeouts: true, Connections: true,
		},
		Backoff:    policy.Backoff{Base: time.Millisecond, Factor: 2, Cap: 20 * time.Second, Jitter: policy.Full},
		RetryAfter: policy.RetryAfter{Obey: policy.InFull},
	}
	statuses := []int{503, 500, 200}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(statuses[0])
		statuses = statuses[1:]
	}))
	defer server.Close()
	fmt.Println(retry.Describe())
	fmt.Println(get(retry, server.URL))
	// Output:
	// 4 attempts, exponential 1ms x2 cap 20s full jitter, Retry-After in full, deadline 30s
	// answered 3
}
