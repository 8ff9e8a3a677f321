package policy

import "stampede/internal/words"

// Outcome is how a call ended. Its words are those of tables, CSV and JSON.
type Outcome uint8

const (
	Answered Outcome = iota
	GaveUpAttempts
	GaveUpDeadline
	GaveUpRetryAfter
	TerminalError
	Abandoned
	Unfinished
	StreamBroken
	GaveUpBudget
	BreakerOpen
	Shed
	Outcomes = iota
)

// OthersDecide stands in a [Decision] in place of an outcome: other attempts of the call are in
// flight, and their end decides. No call ends with it.
const OthersDecide = Outcome(Outcomes)

// OutcomeWords are the words of outcomes and which calls have them.
var OutcomeWords = words.Glossary[Outcome]{
	Answered:       {"answered", "Calls that got an answer"},
	GaveUpAttempts: {"gave_up_attempts", "Calls that failed on the last allowed attempt, after retries"},
	GaveUpDeadline: {"gave_up_deadline",
		"Calls that passed their deadline or timeout, or would have passed it during the next backoff"},
	GaveUpRetryAfter: {"gave_up_retry_after", "Calls told to wait longer than the policy accepts"},
	TerminalError:    {"terminal_error", "Calls that got an error the policy does not retry"},
	Abandoned:        {"abandoned", "Calls whose caller lost patience and left"},
	Unfinished:       {"unfinished", "Calls still hanging when the run ended, with nothing left that could end them"},
	StreamBroken:     {"stream_broken", "Calls whose stream broke after its first token and was not replayed"},
	GaveUpBudget:     {"gave_up_budget", "Calls dropped because the retry budget was empty"},
	BreakerOpen:      {"breaker_open", "Calls rejected because the circuit breaker was open"},
	Shed: {"shed", "Calls dropped by the client: gate full, wait at gate or pacer too long, throttling, " +
		"all targets in cooldown"},
}

// String is the word for an outcome.
func (o Outcome) String() string {
	if o == OthersDecide {
		return "other_attempt"
	}
	return OutcomeWords.Word(o)
}

// Meaning says which calls have the outcome.
func (o Outcome) Meaning() string { return OutcomeWords.Meaning(o) }
