package provider_test

import (
	"fmt"
	"time"

	"stampede/dialect"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// A provider is a state machine that is handed the instant. This one admits 60 requests a minute, two at once.
func Example() {
	p, err := provider.New(provider.Config{
		Dialect:    dialect.OpenAI,
		Limits:     []provider.Limit{{Resource: provider.Requests, Amount: 60, Period: time.Minute, Burst: 2}},
		RetryAfter: provider.RetryAfter{Round: time.Second},
	}, sim.NewKey(1, 0))
	if err != nil {
		panic(err)
	}
	var reply wire.Reply
	for k := range 3 {
		now := time.Duration(k) * 100 * time.Millisecond
		v := p.Receive(now, &provider.Request{Call: uint64(k), Attempt: 1, Prompt: 1000}, 0, &reply)
		if v.Kind == provider.Refused {
			wait, _ := reply.RetryAfter.Wait(now)
			fmt.Println(now, reply.Status, reply.Code, wait)
		} else {
			fmt.Println(now, "admitted")
		}
	}
	// Output:
	// 0s admitted
	// 100ms admitted
	// 200ms 429 rate_limit_exceeded 1s
}
