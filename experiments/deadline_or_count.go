package experiments

import "fmt"

var deadlineOrCount = Experiment{
	Name:     "deadline-or-count",
	Question: "Should a number of attempts or a time in total bound the retries of a call?",
	Claim: "A total of 90 s beats six attempts: it loses nothing in outages of up to a minute, and less in longer " +
		"ones. What it costs is the p99 of calls that are answered.",
	Source: "practitioners' claim; doubling from 0.5 s to 20 s makes attempts at 0, 0.5, 1.5, 3.5, 7.5 and 15.5 s, " +
		"and within 90 s at 31.5, 51.5 and 71.5 s as well. Of ten calls a second those are lost whose last attempt " +
		"comes before the end of the outage; an answer comes with the first attempt after it",
	Arms:       deadlineArms(),
	References: deadlineReferences(),
}

// outages are what 3,000 calls at 10/s lose in an outage, and the p99 of the answers.
var outages = []struct {
	seconds         int
	lostCount, p99C float64 // with six attempts
	lostTime, p99T  float64 // with 90 s
}{
	{5, 0, 3.5, 0, 3.5},          // 15 calls take 7.5 s and 20 take 3.5 s, of 3,000
	{30, 145, 15.5, 0, 31.5},     // 10 x (30 - 15.5); 145 calls take 31.5 s
	{60, 445, 15.5, 0, 71.5},     // 10 x (60 - 15.5); 85 calls take 71.5 s
	{120, 1045, 15.5, 485, 71.5}, // 10 x (120 - 15.5), 10 x (120 - 71.5)
}

func deadlineArms() (out []Arm) {
	for _, o := range outages {
		outage := fmt.Sprintf("provider.faults.0.for=%ds", o.seconds)
		out = append(out,
			Arm{fmt.Sprintf("count_%ds", o.seconds), []string{outage}},
			Arm{fmt.Sprintf("time_%ds", o.seconds),
				[]string{outage, "policy.retry.attempts=unlimited", "policy.retry.deadline=90s"}})
	}
	return out
}

func deadlineReferences() (out []Reference) {
	for _, o := range outages {
		for _, bound := range []struct {
			name      string
			lost, p99 float64
		}{{"count", o.lostCount, o.p99C}, {"time", o.lostTime, o.p99T}} {
			arm := fmt.Sprintf("%s_%ds", bound.name, o.seconds)
			out = append(out,
				exactly("answered_"+arm, 3000-bound.lost, "calls").of(arm, "answered"),
				exactly("p99_"+arm+"_s", bound.p99, "s").of(arm, "latency_p99_s"))
		}
	}
	return out
}
