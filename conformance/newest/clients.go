package main

import (
	"stampede/conformance/clients/measure"
	"stampede/dialect"
)

// client is one row of the table: a preset and the package whose decisions it describes.
type client struct {
	preset   string
	registry registry
	path     string // of the package or module
	dialect  dialect.Dialect
	needs    string // npm: a package that is installed with it, in its newest version
	folder   string // go: of conformance/clients
	ask      string // go: its function

	// treats says what the policy cannot, and the notes of the preset do: the reply as which the client treats one.
	treats map[string]string

	version string // the version to measure; empty means the newest
}

// registry finds versions of packages and measures them.
type registry interface {
	// find is the newest version of a package, or the newest of those that begin with the given one, and the path
	// that it has.
	find(folder, path, version string) (pathOfVersion, exact string, err error)
	// measure runs the client in a folder and returns the waits of each call, by the name of the reply.
	measure(folder string, r result, job measure.Job) (map[string][][]float64, error)
}

var clientTable = []client{
	{preset: "openai-node", registry: npm{}, path: "openai", dialect: dialect.OpenAI},
	{preset: "anthropic-typescript", registry: npm{}, path: "@anthropic-ai/sdk", dialect: dialect.Anthropic},
	{preset: "google-genai-js", registry: npm{}, path: "@google/genai", dialect: dialect.Gemini},
	{preset: "google-genai-js-retrying", registry: npm{}, path: "@google/genai", dialect: dialect.Gemini},
	{preset: "groq-node", registry: npm{}, path: "groq-sdk", dialect: dialect.OpenAI},
	{preset: "vercel-ai", registry: npm{}, path: "ai", dialect: dialect.OpenAI, needs: "@ai-sdk/openai"},
	{preset: "cohere-js", registry: npm{}, path: "cohere-ai", dialect: dialect.Plain,
		treats: map[string]string{"Retry-After 1.5": "Retry-After 1"}},
	{preset: "mistral-js-retrying", registry: npm{}, path: "@mistralai/mistralai", dialect: dialect.Plain,
		treats: map[string]string{"Retry-After 1.5": "429"}},
	{preset: "langchain-js", registry: npm{}, path: "@langchain/core", dialect: dialect.OpenAI,
		needs:  "@langchain/openai",
		treats: map[string]string{"503, Retry-After 7": "503"}},
	{preset: "openai-go", registry: modules{}, path: "github.com/openai/openai-go/v3", dialect: dialect.OpenAI,
		folder: "openai", ask: "Ask"},
	{preset: "anthropic-go", registry: modules{}, path: "github.com/anthropics/anthropic-sdk-go/v2",
		dialect: dialect.Anthropic, folder: "anthropic", ask: "Ask"},
	{preset: "google-genai-go", registry: modules{}, path: "google.golang.org/genai", dialect: dialect.Gemini,
		folder: "genai", ask: "Ask"},
	{preset: "google-genai-go-retrying", registry: modules{}, path: "google.golang.org/genai",
		dialect: dialect.Gemini, folder: "genai", ask: "AskRetrying"},
}
