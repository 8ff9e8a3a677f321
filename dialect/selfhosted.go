package dialect

// vllm is that of vLLM from v0.29.0: with --max-num-queued-reqs a full queue is refused with 503, QueueOverflowError;
// there is no 429. Limits are those of a gateway before it, whose 429 has no hint.
var vllm = format{
	name: "vllm",
	refusals: func() [reasons]Refusal {
		all := like("")
		all[NoCredit] = all[Spent]
		all[AtCapacity].kind = "QueueOverflowError"
		return all
	}(),
	body: template(`{"error":{"message":{message},"type":{type},"param":null,"code":{code_or_number}}}`),
}

// sglang is that of SGLang: with --max-queued-requests a full queue is refused with 503.
var sglang = format{
	name: "sglang",
	refusals: func() [reasons]Refusal {
		all := like("")
		all[NoCredit] = all[Spent]
		all[AtCapacity].text = "The request queue is full."
		return all
	}(),
	body: template(`{"object":"error","message":{message},"type":{type},"param":null,"code":{code_or_number}}`),
}
