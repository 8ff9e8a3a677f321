package experiments

import (
	"fmt"
	"math"

	"stampede/measure"
)

var copiedDefaults = Experiment{
	Name: "copied-defaults",
	Question: "Which numbers of the defaults that people copy matter: six attempts, 45 s in total, waits from 0.5 s " +
		"to 20 s, a read timeout of 60 s, a gate of eight?",
	Claim: "Few, and others in each of five situations: the gate where places are short, attempts and the first wait " +
		"in an outage, attempts under a quota, the timeout and the deadline where requests hang, the deadline where " +
		"the server asks for long waits. The cap never does: six attempts from 0.5 s wait at most 8 s.",
	Source: "practitioners' defaults; a number matters where half of it or twice as much changes the calls answered " +
		"by a point, or their p95 or the makespan by a tenth, a threshold of ours; the references follow from the " +
		"policy",
	Arms: []Arm{
		{"places", nil},
		{"outage", copiedOpen(400, "faults: [{status: 503, at: 1m, for: 15s}], latency: {first_token: 200ms}")},
		{"quota", []string{"workload.batch.calls=200",
			"provider={limits: [{resource: requests, limit: 60/min, burst: 1}], latency: {first_token: 1s}}"}},
		{"hangs", append(copiedOpen(2000, "faults: [{hang: true, share: 2%}], latency: {first_token: 1s}"),
			"workload.open.rate=0.2/s")},
		{"long_waits", copiedOpen(400, "faults: [{status: 429, retry_after: 30s, at: 1m, for: 40s}]")},
	},
	References: copiedReferences(),
	measure: func(l *lab) (map[string]Sample, error) {
		out := map[string]Sample{}
		for _, arm := range l.experiment.Arms {
			base, err := l.run(arm.Name, nil)
			if err != nil {
				return nil, err
			}
			for _, n := range copiedNumbers {
				matters := false
				for _, value := range []string{n.half, n.twice} {
					changed, err := l.run(arm.Name, nil, n.path+"="+value)
					if err != nil {
						return nil, err
					}
					matters = matters || changes(base, changed)
				}
				out[arm.Name+"_"+n.name] = Sample{Values: []float64{measure.Indicator(matters)}}
			}
		}
		return out, nil
	},
}

// copiedOpen is a situation in which calls arrive, two a second.
func copiedOpen(calls int, provider string) []string {
	workload := fmt.Sprintf("workload={open: {rate: 2/s, calls: %d}, prompt_tokens: 400, output_tokens: 40}", calls)
	return []string{workload, "fleet.workers=none", "provider={" + provider + "}"}
}

// copiedNumbers are the defaults, with half of each and twice as much.
var copiedNumbers = []struct{ name, path, half, twice string }{
	{"attempts", "policy.retry.attempts", "3", "12"},
	{"deadline", "policy.retry.deadline", "22500ms", "90s"},
	{"base", "policy.retry.backoff.exponential.base", "250ms", "1s"},
	{"cap", "policy.retry.backoff.exponential.cap", "10s", "40s"},
	{"timeout", "policy.timeouts.gap", "30s", "120s"},
	{"gate", "policy.gate.semaphore", "4", "16"},
}

// changes is whether one of the means that a user looks at differs enough.
func changes(base, other armRuns) bool {
	mean := func(runs armRuns, metric string) float64 {
		return measure.EstimateOf(runs.metric(metric).Values, 0.95).Mean
	}
	if math.Abs(mean(other, "success_ratio")-mean(base, "success_ratio")) >= 0.01 {
		return true
	}
	for _, metric := range []string{"latency_p95_s", "makespan_s"} {
		if b := mean(base, metric); math.Abs(mean(other, metric)-b) >= 0.1*b {
			return true
		}
	}
	return false
}

// copiedReferences say why a number matters, or does not, by situation in the order of copiedNumbers.
func copiedReferences() (out []Reference) {
	for _, of := range []struct {
		arm string
		why [6]string // with a sign before it
	}{
		{"places", [6]string{
			"-the gate lets nothing be refused",
			"-nothing waits for a retry",
			"-nothing waits for a retry",
			"-nothing waits for a retry",
			"-an answer takes 1 s",
			"+four take twice as long, sixteen are refused",
		}},
		{"outage", [6]string{
			"+three attempts end after 1.5 s, twelve outlast the outage",
			"-six attempts end after 15.5 s at the latest",
			"+it stretches all waits, 15.5 s in all at the most",
			"-the longest wait is 8 s",
			"-a 503 is an answer",
			"-two calls a second of 0.2 s need less than one place",
		}},
		{"quota", [6]string{
			"+each asks again when the next request is admitted, and so has another chance",
			"-six attempts end after six seconds",
			"-Retry-After replaces it",
			"-Retry-After replaces it",
			"-an answer takes 1 s",
			"-one call a second of 1 s needs one place",
		}},
		{"hangs", [6]string{
			"-the deadline ends the call before its second attempt",
			"+after a timeout of 60 s a deadline of 45 s is over and one of 90 s is not",
			"-a timeout is 60 times as long as the first wait",
			"-the longest wait is 8 s",
			"+30 s leave time for another attempt before the deadline",
			"-a call every 5 s needs less than one place",
		}},
		{"long_waits", [6]string{
			"-three attempts are enough, two waits of 30 s outlast the fault",
			"+one of 22.5 s forbids a wait of 30 s, one of 90 s allows two",
			"-Retry-After replaces it",
			"-Retry-After replaces it",
			"-a 429 is an answer",
			"-answers take no time",
		}},
	} {
		for i, why := range of.why {
			r := exactly(of.arm+"_"+copiedNumbers[i].name, measure.Indicator(why[0] == '+'), "")
			r.Choice = &Choice{Yes: "matters", No: "does not matter", Why: why[1:]}
			out = append(out, r)
		}
	}
	return out
}
