package sim

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// A queueing system on the public API: arrivals and service times are laws of
// one uniform number, in seconds.
type system struct {
	servers, room    int
	arrival, service func(u float64) float64
}

type result struct {
	response, wait, queued, inSystem float64 // means: seconds, seconds, share, customers
	lost                             float64 // share of arrivals refused
	rate                             float64 // arrivals per second
	p99, waitP99                     time.Duration
}

// customer is an event: an arrival, or the departure of one that entered and
// started at these instants.
type customer struct {
	departs          bool
	entered, started Time
}

// run sends n customers through and drops the first tenth.
func (s system) run(key Key, n int) result {
	var (
		loop            Loop[customer]
		station         = Station[Time]{Servers: s.servers, Room: s.room}
		gaps, services  = key.For(1), key.For(2)
		response, wait  Moments
		inSystem        Level
		responses       = new(Quantiles)
		waits           = new(Quantiles)
		arrived, k      uint64
		lost, waited    int
		counted, warmup = 0, uint64(n / 10)
		began           Time
	)
	seconds := func(x float64) Time { return Time(x * float64(time.Second)) }
	start := func(entered Time) {
		now := loop.Now()
		loop.At(now+seconds(s.service(services.Uniform(k, 0))), customer{true, entered, now})
		k++
	}
	loop.At(seconds(s.arrival(gaps.Uniform(0, 0))), customer{})
	for {
		e, ok := loop.Next()
		if !ok {
			break
		}
		now := loop.Now()
		if e.departs {
			inSystem.Set(now, inSystem.Value()-1)
			if e.entered >= began && arrived > warmup {
				response.Add((now - e.entered).Seconds())
				wait.Add((e.started - e.entered).Seconds())
				responses.Add(now - e.entered)
				waits.Add(e.started - e.entered)
			}
			if entered, started := station.Depart(); started {
				start(entered)
			}
			continue
		}
		if arrived++; arrived < uint64(n) {
			loop.At(now+seconds(s.arrival(gaps.Uniform(arrived, 0))), customer{})
		}
		if arrived == warmup {
			began = now
			level := inSystem.Value()
			inSystem = Level{since: now, value: level}
		}
		if arrived > warmup {
			counted++
		}
		switch station.Arrive(now, 0) {
		case Started:
			start(now)
		case Queued:
			if arrived > warmup {
				waited++
			}
		case Refused:
			if arrived > warmup {
				lost++
			}
			continue
		}
		inSystem.Set(now, inSystem.Value()+1)
	}
	span := (loop.Now() - began).Seconds()
	return result{
		response: response.Mean(), wait: wait.Mean(), p99: responses.Quantile(0.99), waitP99: waits.Quantile(0.99),
		queued:   float64(waited) / float64(counted),
		lost:     float64(lost) / float64(counted),
		inSystem: inSystem.area / span,
		rate:     float64(counted-lost) / span,
	}
}

func exponential(mean float64) func(float64) float64 {
	return func(u float64) float64 { return -mean * math.Log(u) }
}

func constant(x float64) func(float64) float64 { return func(float64) float64 { return x } }

// lognormal has the given mean and squared coefficient of variation.
func lognormal(mean, cv2 float64) func(float64) float64 {
	sigma := math.Sqrt(math.Log(1 + cv2))
	mu := math.Log(mean) - sigma*sigma/2
	return func(u float64) float64 { return math.Exp(mu + sigma*math.Sqrt2*math.Erfinv(2*u-1)) }
}

// measure is one expected mean of a system.
type measure struct {
	what string
	want float64
	get  func(result) float64
}

// expect checks that the 99 % t-interval over 30 replications of n customers
// holds each value, and that its half-width is at most 6 % of the value, so
// that the check has teeth.
func (s system) expect(t *testing.T, n int, measures ...measure) {
	t.Helper()
	const replications, t995 = 30, 2.756 // Student t, 29 degrees of freedom
	moments := make([]Moments, len(measures))
	for r := range replications {
		result := s.run(NewKey(2026, r), n)
		for i, m := range measures {
			moments[i].Add(m.get(result))
		}
	}
	for i, m := range measures {
		mean, half := moments[i].Mean(), t995*moments[i].StdDev()/math.Sqrt(replications)
		if math.Abs(mean-m.want) > half {
			t.Errorf("%s: %.5g +- %.2g, want %.5g", m.what, mean, half, m.want)
		}
		if half > 0.06*m.want {
			t.Errorf("%s: half-width %.2g is more than 6 %% of %.5g", m.what, half, m.want)
		}
	}
}

func lost(r result) float64   { return r.lost }
func wait(r result) float64   { return r.wait }
func queued(r result) float64 { return r.queued }

func TestMM1(t *testing.T) {
	system{1, -1, exponential(1.0 / 8), exponential(1.0 / 10)}.expect(t, 60_000,
		measure{"W = 1/(mu-lambda)", 0.5, func(r result) float64 { return r.response }},
		measure{"L = rho/(1-rho)", 4, func(r result) float64 { return r.inSystem }},
		measure{"p99 = ln(100)/(mu-lambda)", 2.3026, func(r result) float64 { return r.p99.Seconds() }})
}

func TestErlangC(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	for _, c := range []struct {
		servers                    int
		lambda, service            float64
		probability, mean, waitP99 float64
		n                          int
	}{
		{10, 8, 1, 0.40918, 0.2046, 1.856, 60_000},
		{20, 3, 6, 0.55077, 1.652, 12.03, 400_000},
	} {
		name := fmt.Sprintf("c=%d lambda=%g S=%g ", c.servers, c.lambda, c.service)
		system{c.servers, -1, exponential(1 / c.lambda), exponential(c.service)}.expect(t, c.n,
			measure{name + "C", c.probability, queued},
			measure{name + "Wq = C/(c mu - lambda)", c.mean, wait},
			measure{name + "p99 of the wait = ln(100 C)/(c mu - lambda)", c.waitP99,
				func(r result) float64 { return r.waitP99.Seconds() }})
	}
}

// Erlang B does not depend on the service law beyond its mean.
func TestErlangB(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	for _, c := range []struct {
		servers int
		load    float64
		lost    float64
	}{{10, 8, 0.12166}, {20, 18, 0.10921}, {50, 45, 0.05410}} {
		for law, service := range map[string]func(float64) float64{
			"exponential": exponential(1), "constant": constant(1), "lognormal": lognormal(1, 4),
		} {
			system{c.servers, 0, exponential(1 / c.load), service}.expect(t, 40_000,
				measure{fmt.Sprintf("B(%d, %g) %s", c.servers, c.load, law), c.lost, lost})
		}
	}
}

func TestMM1K(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	for _, c := range []struct{ rho, lost float64 }{{0.9, 0.05081}, {1, 1.0 / 11}, {1.2, 0.19259}} {
		system{1, 9, exponential(1 / c.rho), exponential(1)}.expect(t, 40_000,
			measure{fmt.Sprintf("K=10 rho=%g", c.rho), c.lost, lost})
	}
}

// Wq = rho S (1+CV^2) / (2 (1-rho)), lambda 0.4, S 2 s.
func TestMG1(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	for _, c := range []struct {
		law     string
		service func(float64) float64
		wait    float64
		n       int
	}{
		{"constant", constant(2), 4, 40_000},
		{"exponential", exponential(2), 8, 60_000},
		{"lognormal CV^2=4", lognormal(2, 4), 20, 400_000},
	} {
		system{1, -1, exponential(1 / 0.4), c.service}.expect(t, c.n, measure{c.law, c.wait, wait})
	}
}

// L = lambda W holds on every path but for the customers at its two ends.
func TestLittle(t *testing.T) {
	for name, s := range map[string]system{
		"M/M/1":      {1, -1, exponential(1.0 / 8), exponential(1.0 / 10)},
		"M/M/10":     {10, -1, exponential(1.0 / 8), exponential(1)},
		"M/G/1/10":   {1, 9, exponential(1), lognormal(1, 4)},
		"D/M/3 loss": {3, 0, constant(0.5), exponential(1)},
	} {
		r := s.run(NewKey(5, 0), 200_000)
		if got := r.rate * r.response; math.Abs(got/r.inSystem-1) > 0.002 {
			t.Errorf("%s: lambda W = %.5g, L = %.5g", name, got, r.inSystem)
		}
	}
}
