package measure

import (
	"fmt"
	"strings"
)

// NearlyAll is the share of answered calls below which cost and latency cover
// only survivors: where only short prompts get through, both fall as success does.
const NearlyAll = 0.99

// FewAnswered reports whether so few calls are answered; share is the success_ratio. Without an answer there is
// no cost and no latency to be misled by.
func FewAnswered(share float64) bool { return 0 < share && share < NearlyAll }

// SurvivorsOnly says which calls cost and latency cover where few are answered.
func SurvivorsOnly(share float64) string {
	return fmt.Sprintf("cost and latency cover only the %.3g %% of calls that were answered", 100*share)
}

// OfSurvivors reports whether a metric covers only the calls that were answered.
func OfSurvivors(metric string) bool {
	return metric == "usd_per_1000_answers" ||
		strings.HasPrefix(metric, "latency_") && !strings.HasPrefix(metric, "latency_all_")
}
