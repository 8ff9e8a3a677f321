package overhttp_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"stampede/dialect"
	"stampede/provider"
	"stampede/provider/overhttp"
)

// Any HTTP client can be tested against a simulated provider. Within a testing/synctest bubble its waits take
// no real time.
func Example() {
	api, err := overhttp.New(provider.Config{
		Dialect:    dialect.Anthropic,
		Limits:     []provider.Limit{{Resource: provider.Requests, Amount: 1, Period: time.Minute}},
		RetryAfter: provider.RetryAfter{Round: time.Second},
	}, 1)
	if err != nil {
		panic(err)
	}
	client := &http.Client{Transport: api}
	for range 2 {
		body := strings.NewReader(`{"max_tokens": 50, "messages": []}`)
		resp, err := client.Post("https://api.example/v1/messages", "application/json", body)
		if err != nil {
			panic(err)
		}
		resp.Body.Close()
		fmt.Printf("%d %q\n", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
	// Output:
	// 200 ""
	// 429 "60"
}
