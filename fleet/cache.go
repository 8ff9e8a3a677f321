package fleet

import (
	"time"

	"stampede/internal/words"
)

// Cache is how long the cached part of a prompt stays in the provider's cache: for Lifetime from the
// start of the last request that read or wrote it; a request counts once its answer has begun. A
// request after that finds nothing and pays for the whole prompt.
//
// The entry of a call alone exists when the call arrives. One that calls share is written by the first
// of them, and holds the beginning of their prompts: [Size.Cached] tokens.
type Cache struct {
	Lifetime time.Duration // 0 means forever
	Writes   bool          // what can be cached and is not read is written, at the price of writing
	Scope    CacheScope
	// Prefix is the tokens of a shared entry; fleets under one key share entries of the same length. In a
	// session it is the most of the prompt of each turn, which the next one reads; 0 means all of it.
	Prefix  int32
	Minimum int32 // a beginning that is shorter is neither written nor read
}

// Writable is how much of a prompt is in the cache once its answer has begun.
func (c *Cache) Writable(s Size) int32 {
	switch c.Scope {
	case OfCall:
		return s.Prompt
	case OfSession:
		return c.holds(s.Prompt)
	}
	return s.Cached
}

// holds is what the entry of a session has of such a prompt.
func (c *Cache) holds(prompt int32) int32 {
	switch {
	case prompt < c.Minimum:
		return 0
	case c.Prefix > 0:
		return min(prompt, c.Prefix)
	}
	return prompt
}

// CacheScope says whose requests share an entry of the cache.
type CacheScope uint8

const (
	OfCall CacheScope = iota
	OfSession
	OfFleet
	OfKey // of all fleets under one key that call one model
)

// CacheScopeWords are the words of scopes.
var CacheScopeWords = words.Table[CacheScope]{"call", "session", "fleet", "key"}

// String is the word for a scope.
func (c CacheScope) String() string { return CacheScopeWords.Word(c) }

// firstEntry is above the numbers of sessions, which have entries of their own.
const firstEntry = 1 << 63

// entry is the number of the entry that all calls of a fleet share; 0 where there is none.
func (m *Model) entry(index int) uint64 {
	fleets := m.Fleets()
	switch fleets[index].Workload.Cache.Scope {
	case OfCall, OfSession:
		return 0
	case OfKey:
		for i := range fleets[:index] {
			if m.shareKey(i, index) {
				index = i
				break
			}
		}
	}
	return firstEntry | uint64(index)
}

// shareKey reports whether two fleets share an entry under their key.
func (m *Model) shareKey(i, j int) bool {
	fleets, tenants := m.Fleets(), m.Provider.Tenants
	a, b := &fleets[i].Workload.Cache, &fleets[j].Workload.Cache
	return a.Scope == b.Scope && a.Prefix == b.Prefix &&
		tenants[i].Key == tenants[j].Key && tenants[i].Model == tenants[j].Model
}
