package overhttp

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// asked is what a request says.
type asked struct {
	shape             shape
	prompt, maxTokens int
	stream            bool
	withUsage         bool   // at the end of the stream
	key, model        string // of its tenant
	call              uint64
	numbered          bool // it says which call it belongs to
	attempt           int
	idempotency       uint64 // 0 means no key
}

const bytesPerToken = 4

// read reads a request.
func read(req *http.Request) (asked, error) {
	a := asked{key: keyOf(req), model: modelOf(req.URL.Path), attempt: 1}
	a.shape, a.stream = shapeOf(req.URL)
	if n, err := strconv.ParseUint(req.Header.Get("x-stampede-call"), 10, 64); err == nil {
		a.call, a.numbered = n, true
	}
	if n, err := strconv.ParseUint(req.Header.Get("x-stainless-retry-count"), 10, 31); err == nil {
		a.attempt += int(n)
	}
	if key := req.Header.Get("Idempotency-Key"); key != "" {
		h := fnv.New64a()
		io.WriteString(h, key)
		a.idempotency = max(1, h.Sum64())
	}
	if req.Body == nil {
		return a, nil
	}
	defer req.Body.Close()
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return a, err
	}
	a.prompt = (len(data) + bytesPerToken - 1) / bytesPerToken
	var body struct {
		Model               string `json:"model"`
		MaxTokens           int    `json:"max_tokens"`
		MaxCompletionTokens int    `json:"max_completion_tokens"`
		MaxOutputTokens     int    `json:"max_output_tokens"`
		Stream              bool   `json:"stream"`
		StreamOptions       struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		GenerationConfig struct {
			MaxOutputTokens int `json:"maxOutputTokens"`
		} `json:"generationConfig"`
	}
	if json.Unmarshal(data, &body) == nil { // what cannot be read declares nothing
		a.maxTokens = max(body.MaxTokens, body.MaxCompletionTokens, body.MaxOutputTokens,
			body.GenerationConfig.MaxOutputTokens)
		a.stream = a.stream || body.Stream && a.shape != gemini && a.shape != geminiArray
		a.withUsage = body.StreamOptions.IncludeUsage
		a.model = cmp.Or(a.model, body.Model)
	}
	return a, nil
}

// keyOf is the key of a request, wherever its API puts it.
func keyOf(req *http.Request) string {
	bearer, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	return cmp.Or(bearer, req.Header.Get("x-api-key"), req.Header.Get("x-goog-api-key"),
		req.Header.Get("api-key"), req.URL.Query().Get("key"))
}

// modelOf is the model in a path: Gemini's models/M:verb, or Azure's deployments/D/verb.
func modelOf(path string) string {
	if _, after, ok := strings.Cut(path, "/deployments/"); ok {
		model, _, _ := strings.Cut(after, "/")
		return model
	}
	_, after, _ := strings.Cut(path, "/models/")
	model, _, _ := strings.Cut(after, ":")
	return model
}
