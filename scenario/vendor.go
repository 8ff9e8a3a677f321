package scenario

import (
	"fmt"
	"slices"
	"strings"

	"stampede/cost"
	"stampede/provider"
)

// sold says how the names of the models that a vendor sells begin in price lists. The
// name of a provider's preset begins with its vendor; one that is not listed here serves
// any model.
var sold = map[string][]string{
	"anthropic": {"claude", "anthropic/"},
	"azure":     {"gpt-", "o1", "o3", "o4", "azure/", "azure_ai/", "openai/", "claude"},
	"bedrock": {
		"claude",
		"anthropic",
		"us.anthropic",
		"eu.anthropic",
		"apac.anthropic",
		"global.anthropic",
		"amazon.",
		"gpt-",
		"bedrock/",
		"bedrock_mantle/",
		"aws/",
	},
	"cerebras":   {"cerebras/", "gpt-oss"},
	"cloudflare": {"cloudflare/"},
	"cohere":     {"command", "cohere"},
	"deepseek":   {"deepseek"},
	"fireworks":  {"fireworks"},
	"gemini":     {"gemini", "google/", "vertex_ai/gemini"},
	"groq":       {"groq/", "llama"},
	"kimi":       {"moonshot", "kimi"},
	"mistral":    {"mistral", "codestral", "ministral"},
	"openai":     {"gpt-", "chatgpt-", "o1", "o3", "o4", "openai/"},
	"vertex":     {"gemini", "google/", "vertex_ai/gemini"},
	"xai":        {"xai/", "grok"},
}

// Vendors lists who sells a model of the name, in order; empty when nothing is known of it.
func Vendors(model string) (vendors []string) {
	for vendor, names := range sold {
		if beginsWith(model, names) {
			vendors = append(vendors, vendor)
		}
	}
	slices.Sort(vendors)
	return vendors
}

func beginsWith(model string, names []string) bool {
	return slices.ContainsFunc(names, func(begins string) bool { return strings.HasPrefix(model, begins) })
}

// The models of prices that no list has.
const (
	ownPrice = "own price"
	unpriced = "no price"
	byHour   = "capacity"
)

// otherVendor notes when the limits and the latency are one vendor's and the price is
// another's; empty when they agree or nothing is known of one of them.
func otherVendor(p *provider.Config, price cost.Price) string {
	vendor, _, _ := strings.Cut(p.Name, "-")
	names, known := sold[vendor]
	named := price.Model != unpriced && price.Model != ownPrice && price.Model != byHour
	if !known || !named || beginsWith(price.Model, names) {
		return ""
	}
	return fmt.Sprintf(
		"the provider is %s but the price is that of %s, which %s does not sell: limits and latency are of one "+
			"vendor, the bill of another",
		p.Name,
		price.Model,
		vendor,
	)
}
