// Package clients holds what asks with the SDKs and measures their waits, as text: the program newest runs it
// against other versions than this module requires.
//
// In Go a client is a package with a function that asks once, measured in a bubble of virtual time by the package
// measure. In JavaScript the clients stand in one table, and measure.mjs replaces fetch, timers, clock and random
// numbers beneath them.
package clients

import "embed"

//go:embed openai/ask.go anthropic/ask.go genai/ask.go measure/measure.go node
var Files embed.FS
