package trace

import "strings"

// usual are the names that columns of each field usually have, written as [plainName] does, the
// likeliest first.
var usual = [Fields][]string{
	Time: {"timestamp", "arrivedat", "arrivaltime", "arrived", "arrival", "starttime", "startedat", "start",
		"requestcreatedat", "createdat", "requeststart", "requeststarttime", "starttimeunixnano", "timegenerated",
		"timegenerated[utc]", "starteddatetime", "datetime", "time", "ts", "created", "date"},
	Prompt: {"prompttokens", "inputtokens", "contexttokens", "requesttokens", "numprefilltokens", "inputlength",
		"promptlength", "inputlen", "promptlen", "tokensprompt", "tokensin", "promptsize", "requnits",
		"inputtokencount", "prompttokencount", "nprompttokens", "ninputtokens", "usageinputtokens"},
	Output: {"outputtokens", "completiontokens", "generatedtokens", "responsetokens", "numdecodetokens",
		"outputlength", "completionlength", "outputlen", "completionlen", "tokenscompletion", "tokensout",
		"outputsize", "resunits", "outputtokencount", "candidatestokencount", "ncompletiontokens", "noutputtokens"},
	MaxTokens: {"maxtokens", "maxcompletiontokens", "maxoutputtokens", "maxnewtokens"},
	Cached: {"cachedtokens", "cachereadtokens", "cachereadinputtokens", "cachedinputtokens", "tokenscached",
		"promptcachereadtokens", "inputcachedtokens", "cachereadinputtokencount"},
	Reasoning: {"reasoningtokens", "tokensreasoning", "thinkingtokens", "reasoningtokencount"},
	Model: {"model", "modelname", "modelid", "requestmodel", "responsemodel", "deploymentname", "aimodel",
		"gen_ai.request.model"},
	Key:      {"key", "apikey", "apikeyname", "apikeyhash", "keyid", "userid", "user"},
	Session:  {"sessionid", "session", "conversationid", "traceid"},
	Priority: {"priority"},
	Status: {"status", "outcome", "responsestatus", "statuscode", "responsestatuscode", "responsecode",
		"httpstatus", "errorcode", "error"},
}

// units that the name of a column of times may end in.
var unitSuffixes = []string{"_seconds", "_sec", "_ns", "_us", "_ms", "_s"}

// plainName is a name without what people write differently.
func plainName(name string) string {
	lower := strings.ToLower(strings.TrimSpace(name))
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(lower)
}

// byUsualName finds the column of a field. A name that is the end of a path counts when no other does.
func byUsualName(names []string, field Field) string {
	for _, whole := range []bool{true, false} {
		for _, want := range usual[field] {
			found, n := "", 0
			for _, name := range names {
				last := name
				if !whole {
					last = name[strings.LastIndexByte(name, '.')+1:]
				}
				if field == Time {
					for _, suffix := range unitSuffixes {
						last = strings.TrimSuffix(last, suffix)
					}
				}
				if plainName(last) == want {
					if found == "" {
						found = name
					}
					n++
				}
			}
			if found != "" && (whole || n == 1) {
				return found
			}
		}
	}
	return ""
}
