package fleet_test

import (
	"fmt"
	"time"

	"stampede/cost"
	"stampede/fleet"
	"stampede/law"
	"stampede/policy"
	"stampede/provider"
)

// equal gives every call the same size.
type equal fleet.Size

func (e equal) Size(uint64, fleet.Luck) fleet.Size { return fleet.Size(e) }

// report prints each call when it ends.
type report struct{}

func (report) Attempt(*fleet.Attempt) {}

func (report) Call(c *fleet.Call) {
	fmt.Println(c.ID, c.Outcome, "after", c.Latency(), "and", c.Attempts, "attempts")
}

// A model is a fleet and the provider it calls. Records go to a listener as calls end.
func ExampleModel_Run() {
	model := fleet.Model{
		Fleet: fleet.Fleet{
			Instances: 1,
			Workers:   2,
			Workload:  fleet.Workload{Calls: 2, Sizes: equal{Prompt: 1000, Output: 100}},
			Client: policy.Client{Retry: policy.Retry{
				Attempts: 2,
				Classify: policy.Classifier{Statuses: []policy.Statuses{{From: 429, To: 429}}},
				Backoff:  policy.Backoff{Base: 5 * time.Second, Factor: 2},
			}},
			Price: cost.PerMillion("example", 1, 1, 4),
		},
		Provider: provider.Config{
			Limits:  []provider.Limit{{Resource: provider.Concurrency, Amount: 1}},
			Latency: provider.Latency{FirstToken: law.Constant(2)},
		},
	}
	if _, err := model.Run(1, 0, report{}); err != nil {
		panic(err)
	}
	// Output:
	// 0 answered after 2s and 1 attempts
	// 1 answered after 7s and 2 attempts
}
