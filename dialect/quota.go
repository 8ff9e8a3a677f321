package dialect

import "slices"

// outOfMoney are codes of other providers that say so, and of OpenAI's older references.
var outOfMoney = []string{"billing_hard_limit_reached", "enforced_spend_limit_reached", "billing_error",
	"spend_limit_exceeded", "insufficient_balance"}

// OutOfQuota reports whether an error says that money or quota is used up, which no wait cures, though its status
// may be that of a rate limit.
func OutOfQuota(status int, code string) bool {
	return status == 402 || slices.Contains(outOfQuota, code) || slices.Contains(outOfMoney, code)
}
