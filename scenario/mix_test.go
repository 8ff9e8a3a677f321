package scenario

import (
	"math"
	"strings"
	"testing"
	"time"

	"stampede/fleet"
)

const mixed = `name: mixed
workload:
  open: {rate: 1/s, calls: 100}
  prompt_tokens: 1000
  max_tokens: 900
  mix:
    - {name: classify, share: 80%, output_tokens: 10, max_tokens: 16, timeouts: {attempt: 700ms}}
    - {output_tokens: 400, timeouts: {connect: none, call: 2m}, patience: 3m}
provider:
  limits: [{resource: tokens, limit: 100k/min, charge: prompt + max_tokens}]
  latency: {tokens_per_second: 100}
policy: {retry: {attempts: 3, deadline: 5m}, timeouts: {connect: 5s, attempt: 60s}}
price: gpt-4o-mini
`

// What a kind leaves out is that of the workload and the policy; what it sets takes its place, none among it.
func TestMix(t *testing.T) {
	s, err := Read([]byte(mixed), "mixed", Options{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := s.Model.Workload.Kinds
	short, long := kinds[0], kinds[1]
	for what, ok := range map[string]bool{
		"the rest of the shares": math.Abs(long.Share-0.2) < 1e-12 && long.Name == "kind 2",
		"sizes": short.Sizes.(fleet.Drawn).MaxTokens == 16 && long.Sizes.(fleet.Drawn).MaxTokens == 900 &&
			long.Sizes.(fleet.Drawn).Prompt.Mean() == 1000,
		"timeouts of the short": short.Client.Timeouts.Describe() == "timeouts connect 5s attempt 700ms",
		"timeouts of the long":  long.Client.Timeouts.Describe() == "timeouts call 2m0s attempt 1m0s",
		"deadlines": short.Client.Retry.Deadline == 5*time.Minute &&
			long.Client.Retry.Deadline == 2*time.Minute,
		"patience":              short.Patience == nil && long.Patience.Mean() == 180,
		"declared, all of them": s.Model.Workload.Sizes == nil,
	} {
		if !ok {
			t.Errorf("%s: %+v", what, kinds)
		}
	}
	for _, c := range []struct {
		set  []string
		want [2]int
	}{{nil, [2]int{0, 0}}, {[]string{"fleet.priority=3"}, [2]int{3, 3}},
		{[]string{"fleet.priority=3", "workload.mix.0.priority=-1"}, [2]int{-1, 3}}} {
		s, err := Read([]byte(mixed), "mixed",
			Options{Set: append(c.set, "policy.gate={semaphore: 2, order: priority}")})
		if err != nil {
			t.Fatal(err)
		}
		if k := s.Model.Workload.Kinds; [2]int{k[0].Priority, k[1].Priority} != c.want {
			t.Errorf("%v: priorities %d and %d, want %v", c.set, k[0].Priority, k[1].Priority, c.want)
		}
	}
	// 0.8 (1000 + 16) + 0.2 (1000 + 900) = 1192.8 tokens a call; 0.8 x 10 + 0.2 x 400 = 88 of output, 0.88 s.
	a := average(&s.Model, 0)
	if math.Abs(a.charges[0]-1192.8) > 0.1 || math.Abs(a.output-88) > 0.01 || math.Abs(a.answer-0.88) > 1e-4 {
		t.Errorf("on average %g charged, %g tokens in %g s; want 1192.8, 88 in 0.88", a.charges[0], a.output, a.answer)
	}
	if a.p95 != 4 { // the upper fifth takes 400/100 s
		t.Errorf("95 %% take %g s; want 4", a.p95)
	}
	back, err := s.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Read(back, "again", Options{}); err != nil || again.Model.Workload.Kinds[1].Share != long.Share {
		t.Errorf("written and read again: %v", err)
	}
}

// An average request of one kind that a limit never admits is told with its kind.
func TestWarningsOfKinds(t *testing.T) {
	s, err := Read([]byte(mixed), "mixed", Options{Set: []string{
		"provider.max_request={tokens: 999}", "provider.limits.0.burst=1500",
		"provider.faults=[{hang: true}]", "workload.mix.0.timeouts.attempt=none"}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(s.Warnings(), "\n")
	for _, want := range []string{"an average request of kind kind 2 is charged 1900",
		"100% of the requests of kind classify are larger than provider.max_request allows",
		"requests of kind classify can hang and no timeout or patience ends them"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, wrong := range []string{"of kind classify is charged", "of kind kind 2 can hang"} {
		if strings.Contains(text, wrong) {
			t.Errorf("%q in\n%s", wrong, text)
		}
	}
}

func TestMistakesOfMix(t *testing.T) {
	for set, want := range map[string]string{
		"workload.mix.1.share=30%": "workload.mix: found shares that add up to 110%; want 100%",
		"workload.mix.1.share=10%": "workload.mix: found shares that add up to 90%; want 100%, or a kind without a " +
			"share, which has the rest",
		"workload.mix.0.share=null": "workload.mix.1.share: found nothing, as in workload.mix.0; want the shares of " +
			"all kinds but one",
		"workload.prompt_tokens=null":        "workload.mix.0.prompt_tokens: found nothing, nor workload.prompt_tokens",
		"workload.mix.1.name=classify":       `workload.mix.1.name: found "classify" again; want a name of its own`,
		"workload.mix.0.max_tokens=1G":       "workload.mix.0.max_tokens: found 1000000000; want at most 100M",
		"workload.mix.0.timeout=5s":          `workload.mix.0.timeout: unknown field; did you mean "timeouts"?`,
		"workload.open=null":                 "found 0 kinds of arrival",
		"workload.mix.0.timeouts.attempt=0s": "want more than 0, or none",
		"workload={sessions: {users: 2, count: 5, turns: 3, prompt_starts: 9}, output_tokens: 9, " +
			"mix: [{share: 100%}]}": "workload.mix: found it beside sessions, whose calls have sizes of their own",
	} {
		_, err := Read([]byte(mixed), "mixed", Options{Set: []string{set}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got  %v\n want %s", set, err, want)
		}
	}
}
