package dialect

// cohere is that of Cohere with a production key: docs.cohere.com, page "Errors". No headers.
var cohere = format{
	name:     "cohere",
	refusals: cohereRefusals("You are past the per {minute} request limit, please wait and try again later."),
	body:     template(`{"message":{message}}`),
}

// cohereTrial is that with a trial key: its message says so.
var cohereTrial = format{
	name: "cohere-trial",
	refusals: cohereRefusals("You are using a Trial key, which is limited to {limit} API calls / {minute}. You can " +
		"continue to use the Trial key for free or upgrade to a Production key with higher rate limits at " +
		"'https://dashboard.cohere.com/api-keys'. Contact us on 'https://discord.gg/XW44jPfYJu' or email us at " +
		"support@cohere.com with any questions"),
	body: template(`{"message":{message}}`),
}

func cohereRefusals(text string) [reasons]Refusal {
	all := like("")
	all[OverLimit].text = text
	return all
}
