package dialect

// cloudflare is that of Workers AI: developers.cloudflare.com, pages of 2026-07-29 and 2026-09-17. 3036 is a day
// that is used up, 3040 want of capacity; a limit per minute has no documented code.
var cloudflare = format{
	name: "cloudflare",
	refusals: func() [reasons]Refusal {
		all := like("")
		all[OverLimit].Daily = "3036"
		all[OverLimit].daily = "You have used up your daily free allocation of {limit_in_groups} neurons, please " +
			"upgrade to Cloudflare's Workers Paid plan if you would like to continue usage."
		all[AtCapacity] = Refusal{Status: 429, Code: "3040", Silent: true}
		return all
	}(),
	body: template(`{"success":false,"errors":[{"code":{number},"message":{message}}],"messages":[],"result":{}}`),
}
