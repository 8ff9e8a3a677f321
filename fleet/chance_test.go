package fleet

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"stampede/cost"
	"stampede/law"
	"stampede/policy"
	"stampede/provider"
	"stampede/wire"
)

// Each source of chance by itself, over a model that has none.
func TestRandom(t *testing.T) {
	retries := func(m *Model) {
		m.Client.Retry.Attempts, m.Client.Retry.Backoff = 3, policy.Backoff{Base: s, Factor: 2}
	}
	refuses := provider.Reject{Reply: wire.Reply{Status: 503}}
	for _, c := range []struct {
		what   string
		change func(*Model)
		want   bool
	}{
		{"constants alone", func(*Model) {}, false},
		{"retries without jitter", retries, false},
		{"retries with jitter", func(m *Model) { retries(m); m.Client.Retry.Backoff.Jitter = policy.Full }, true},
		{"jitter of a client that never retries", func(m *Model) { m.Client.Retry.Backoff.Jitter = policy.Full },
			false},
		{"jitter of an outer layer", func(m *Model) {
			outer := policy.Retry{Attempts: 2, Backoff: policy.Backoff{Base: s, Factor: 2, Jitter: policy.Equal}}
			m.Client.Outer = []policy.Layer{{Retry: outer}}
		}, true},
		{"an outage", func(m *Model) {
			m.Provider.Faults = []provider.Fault{{At: s, For: s, Share: 1, Effect: refuses}}
		}, false},
		{"a share of errors", func(m *Model) { m.Provider.Faults = []provider.Fault{{Share: 0.01, Effect: refuses}} },
			true},
		{"a share of errors of the gateway", func(m *Model) {
			m.Provider.Gateway.Errors = []provider.GatewayError{{Share: 0.01, Status: 502}}
		}, true},
		{"a gateway that always fails", func(m *Model) {
			m.Provider.Gateway.Errors = []provider.GatewayError{{Share: 1, Status: 502}}
		}, false},
		{"a fault that comes and goes", func(m *Model) {
			m.Provider.Faults = []provider.Fault{{Gap: law.Exponential{Beta: 9}, Length: law.Constant(1), Share: 1,
				Effect: refuses}}
		}, true},
		{"latency", func(m *Model) { m.Provider.Latency.FirstToken = law.Lognormal{Sigma: 1} }, true},
		{"sizes", func(m *Model) {
			m.Workload.Sizes = Drawn{Prompt: law.Constant(9), Output: law.Exponential{Beta: 9}}
		}, true},
		{"constant sizes", func(m *Model) {
			m.Workload.Sizes = Drawn{Prompt: law.Constant(9), Output: law.Constant(9)}
		}, false},
		{"even arrivals", func(m *Model) { m.Workload.Arrivals = Renewal{law.Constant(1), Constant(1)} }, false},
		{"Poisson arrivals", func(m *Model) { m.Workload.Arrivals = Renewal{law.Exponential{Beta: 1}, Constant(1)} },
			true},
		{"patience", func(m *Model) { m.Workload.Patience = law.Exponential{Beta: 1} }, true},
		{"a throttle", func(m *Model) { m.Client.Throttle = policy.Throttle{K: 2, Window: s} }, true},
		{"a fleet beside", func(m *Model) {
			m.Beside = []Fleet{m.Fleet}
			m.Beside[0].Workload.Think = law.Exponential{Beta: 1}
		}, true},
		{"a provider to fall back to", func(m *Model) {
			m.Others = []provider.Config{{Latency: provider.Latency{FirstToken: law.Exponential{Beta: 1}}}}
		}, true},
		{"a route that takes turns", func(m *Model) {
			m.Others, m.Deployed = []provider.Config{{}}, 1
			m.Deployments = []Target{{Provider: 1, Weight: 1}}
			m.Client.Route.By = policy.RouteRoundRobin
		}, false},
		{"a route that draws", func(m *Model) {
			m.Others, m.Deployed = []provider.Config{{}}, 1
			m.Deployments = []Target{{Provider: 1, Weight: 1}}
		}, true},
	} {
		m := model()
		c.change(&m)
		if got := m.Random(); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// Where nothing is random, one replication is like another, whatever else the model has.
func TestReplicationsWithoutChanceAreEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomModel(t)
		m.Beside, m.Others, m.Fallbacks, m.Client.Fallback = nil, nil, nil, policy.Fallback{}
		m.Deployments, m.Deployed, m.SameLuck = nil, 0, 0
		m.Provider.Tenants = m.Provider.Tenants[:1]
		m.Provider.Latency.FirstToken, m.Provider.Latency.TokensPerSecond = law.Constant(0.5), law.Constant(50)
		for i := range m.Provider.Faults {
			f := &m.Provider.Faults[i]
			f.Gap, f.Length, f.Share = nil, nil, 1
			if e, ok := f.Effect.(provider.NoConnection); ok {
				f.Effect = provider.NoConnection{As: e.As}
			}
		}
		for i := range m.Provider.Gateway.Errors {
			m.Provider.Gateway.Errors[i].Share = 1
		}
		w := &m.Workload
		w.Sizes = Drawn{Prompt: law.Constant(100), Output: law.Constant(40), MaxTokens: 50}
		w.Think, w.Every, w.Patience, w.Kinds = nil, nil, nil, nil
		if w.Sessions != nil {
			w.Sessions.Turns, w.Sessions.Grows = law.Constant(3), law.Constant(20)
		}
		if _, renewal := w.Arrivals.(Renewal); renewal {
			w.Arrivals = Renewal{law.Constant(1), Constant(2)}
		}
		m.Client.Retry.Backoff.Jitter, m.Client.Throttle = policy.NoJitter, policy.Throttle{}
		for i := range m.Client.Outer {
			m.Client.Outer[i].Retry.Backoff.Jitter = policy.NoJitter
		}
		m.Dealt, m.Price = InTurn, cost.PerMillion("m", 1, 1, 5)
		if m.Random() {
			t.Fatalf("random: %+v", m)
		}
		var a, b log
		_, err1 := m.Run(1, 0, &a)
		_, err2 := m.Run(1, 1, &b)
		if (err1 == nil) != (err2 == nil) || err1 == nil && !reflect.DeepEqual(a, b) {
			t.Fatalf("replications differ (%v, %v):\n%v\n%v", err1, err2, a, b)
		}
	})
}
