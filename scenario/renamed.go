package scenario

import "stampede/internal/strict"

// renamed gives for each former name of a field, after its type, the name it has now; of a word,
// after its type and =. A file that uses the former one is refused with the new one.
var renamed = map[string]string{
	"File.beside":                  "other_fleets",
	"Workload.acts":                "side_effects",
	"Policy.inside":                "outer_layers",
	"Breaker.in_a_row":             "consecutive_failures",
	"Breaker.over":                 "window",
	"Breaker.minimum":              "min_results",
	"Breaker.counts":               "counts_as_failure",
	"Hedge.most":                   "max",
	"Fallback.cooldown_seen_every": "cooldown_refresh",
	"Exponential.less":             "minus",
	"Exponential.least":            "min",
	"RetryAfter.below_limit":       "limit_exclusive",
	"RetryAfter.before_status":     "overrides_status",
	"RetryAfter.garbage":           "malformed",
	"RetryAfter.largest":           "max_representable",
	"Gate.room":                    "max_waiting",
	"Capacity.full":                "full_status",
	"Limit.before":                 "prior_rate",
}

// aliases gives for each other name of a field or word, written likewise, its own name. A file may use
// either.
var aliases = map[string]string{
	"Fleet.dealt":        "dispatch",
	"Dispatch=at_random": "random",
	"Dispatch=in_turn":   "round_robin",
}

// newDecoder makes a decoder that knows the former and other names of fields.
func newDecoder() *strict.Decoder {
	d := strict.NewDecoder()
	d.Renamed, d.Aliases = renamed, aliases
	return d
}
