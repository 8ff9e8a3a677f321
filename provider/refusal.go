package provider

import (
	"stampede/dialect"
	"stampede/internal/words"
	"stampede/wire"
)

// Refusal is what a refusal means for its client, whatever its status: several share 429.
type Refusal uint8

const (
	ByRate Refusal = iota
	ByQuota
	BySize
	ByLoad
	Refusals = iota
)

// RefusalWords are the words of refusals and what each means.
var RefusalWords = words.Glossary[Refusal]{
	ByRate:  {"rate_limit", "refused by a limit on rate or concurrency, where waiting helps"},
	ByQuota: {"quota", "refused because money or quota is used up, whatever the status, which may be 429"},
	BySize:  {"too_large", "refused because the request is larger than is ever admitted"},
	ByLoad:  {"overloaded", "refused with status 503 or 529, or for want of a slot"},
}

// String is the word for a refusal.
func (r Refusal) String() string { return RefusalWords.Word(r) }

// Meaning is why an attempt is refused.
func (r Refusal) Meaning() string { return RefusalWords.Meaning(r) }

// Means is what an error reply means; false of one that refuses nothing. The limit that refused, as in a
// [Verdict], says so, where one did, else the reply.
func (c *Config) Means(reply *wire.Reply, limit int8, never bool) (Refusal, bool) {
	switch {
	case reply.Failure != wire.None || reply.Status < 400:
		return 0, false
	case limit == TooLong:
		return BySize, true
	case limit == NoSlot:
		return ByLoad, true
	case limit >= 0 && c.Limits[limit].Resource == Dollars:
		return ByQuota, true
	case limit >= 0 && never:
		return BySize, true
	case limit >= 0:
		return ByRate, true
	case dialect.OutOfQuota(reply.Status, reply.Code):
		return ByQuota, true
	case reply.Status == 413:
		return BySize, true
	}
	switch reply.Class() {
	case wire.Throttled:
		return ByRate, true
	case wire.Overloaded:
		return ByLoad, true
	}
	return 0, false
}
