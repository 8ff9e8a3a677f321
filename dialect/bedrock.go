package dialect

// bedrock is that of Amazon Bedrock: ThrottlingException with a message and no hint (User Guide of 2026; the
// messages from two reports of 2026-07). The exception is in a header.
var bedrock = format{
	name: "bedrock",
	refusals: func() [reasons]Refusal {
		all := like("ThrottlingException")
		for _, why := range []Reason{OverLimit, TooLarge} {
			all[why].text = "Too many {unit}{per_day}, please wait before trying again."
		}
		all[NoCredit] = all[Spent]
		all[AtCapacity].Code = "ServiceUnavailableException"
		return all
	}(),
	lines: func(w *writer, f *failure) {
		if f.Code != "" {
			w.add("x-amzn-errortype", f.Code)
		}
	},
	body: template(`{"message":{message}}`),
}
