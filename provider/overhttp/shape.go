package overhttp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"stampede/cost"
)

// shape is the form of answers: of OpenAI's chat completions, of Anthropic's messages,
// or of Gemini's content.
type shape uint8

const (
	openAI shape = iota
	anthropic
	gemini
	geminiArray // a stream of Gemini without alt=sse: an array, here of one element
)

// shapeOf finds the form from the URL of the request, and whether that asks for a
// stream; others ask for it in the body.
func shapeOf(url *url.URL) (s shape, stream bool) {
	switch {
	case strings.HasSuffix(url.Path, "/messages"):
		return anthropic, false
	case strings.HasSuffix(url.Path, ":streamGenerateContent"):
		if url.Query().Get("alt") == "sse" {
			return gemini, true
		}
		return geminiArray, false
	case strings.Contains(url.Path, "enerateContent"):
		return gemini, false
	}
	return openAI, false
}

// answer is what an answer holds: as many words as tokens that are seen, and its usage.
type answer struct {
	call uint64
	cost.Usage
}

// words is how many tokens of it are seen.
func (a *answer) words() int { return a.Output - a.Reasoning }

// text is an answer of so many tokens.
func text(tokens int) string { return strings.TrimSuffix(strings.Repeat("word ", tokens), " ") }

// object is one of JSON.
type object = map[string]any

// whole is a whole answer.
func (s shape) whole(a *answer) string {
	words := text(a.words())
	switch s {
	case anthropic:
		message := anthropicMessage(a)
		message["content"] = []any{object{"type": "text", "text": words}}
		message["stop_reason"] = "end_turn"
		return encode(message)
	case gemini:
		return encode(content(words, a))
	case geminiArray:
		return encode([]any{content(words, a)})
	}
	return encode(object{
		"id": fmt.Sprintf("chatcmpl-%d", a.call), "object": "chat.completion", "created": 0, "model": "simulated",
		"choices": []any{object{
			"index":         0,
			"finish_reason": "stop",
			"message":       object{"role": "assistant", "content": words},
		}},
		"usage": openAIUsage(a),
	})
}

func openAIUsage(a *answer) object {
	return object{
		"prompt_tokens":             a.Prompt,
		"prompt_tokens_details":     object{"cached_tokens": a.Cached},
		"completion_tokens":         a.Output,
		"completion_tokens_details": object{"reasoning_tokens": a.Reasoning},
		"total_tokens":              a.Prompt + a.Output,
	}
}

// anthropicMessage is a message without its content.
func anthropicMessage(a *answer) object {
	return object{
		"id": fmt.Sprintf("msg_%d", a.call), "type": "message", "role": "assistant", "model": "simulated",
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{
			"input_tokens":                a.Prompt - a.Cached - a.Written,
			"cache_read_input_tokens":     a.Cached,
			"cache_creation_input_tokens": a.Written,
			"output_tokens":               a.Output,
		},
	}
}

// content is Gemini's answer, or a part of one; the last says why it ends and what it used.
func content(words string, last *answer) object {
	candidate := object{
		"index":   0,
		"content": object{"role": "model", "parts": []any{object{"text": words}}},
	}
	out := object{"candidates": []any{candidate}, "modelVersion": "simulated"}
	if last == nil {
		return out
	}
	candidate["finishReason"] = "STOP"
	usage := object{
		"promptTokenCount":     last.Prompt,
		"candidatesTokenCount": last.words(),
		"totalTokenCount":      last.Prompt + last.Output,
	}
	if last.Cached > 0 {
		usage["cachedContentTokenCount"] = last.Cached
	}
	if last.Reasoning > 0 {
		usage["thoughtsTokenCount"] = last.Reasoning
	}
	out["usageMetadata"] = usage
	return out
}

// chunk is a part of a streamed answer, as an event.
func (s shape) chunk(a *answer, words string, first bool) string {
	switch s {
	case gemini:
		return event("", content(words, nil))
	case anthropic:
		out := ""
		if first {
			message := anthropicMessage(a)
			message["usage"].(object)["output_tokens"] = 0
			out = event("message_start", object{"type": "message_start", "message": message}) +
				event("content_block_start", object{
					"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""},
				})
		}
		return out + event("content_block_delta", object{
			"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": words},
		})
	}
	return event("", openAIChunk([]any{
		object{"index": 0, "delta": object{"role": "assistant", "content": words}},
	}))
}

func openAIChunk(choices []any) object {
	return object{
		"id": "chatcmpl", "object": "chat.completion.chunk", "created": 0, "model": "simulated", "choices": choices,
	}
}

// end is the end of a streamed answer; OpenAI's has its usage when the request asks for that.
func (s shape) end(a *answer, withUsage bool) string {
	switch s {
	case gemini:
		return event("", content("", a))
	case anthropic:
		return event("content_block_stop", object{"type": "content_block_stop", "index": 0}) +
			event("message_delta", object{
				"type":  "message_delta",
				"delta": object{"stop_reason": "end_turn"},
				"usage": object{"output_tokens": a.Output},
			}) +
			event("message_stop", object{"type": "message_stop"})
	}
	done := "data: [DONE]\n\n"
	if withUsage {
		chunk := openAIChunk([]any{})
		chunk["usage"] = openAIUsage(a)
		done = event("", chunk) + done
	}
	return done
}

// failure is an error inside a stream.
func (s shape) failure(code string) string {
	name := "error"
	if s == gemini {
		name = ""
	}
	return event(name, s.failedAs(code, "error in the stream"))
}

// failed is an error in place of a whole answer, with status 200.
func (s shape) failed(code string) string { return encode(s.failedAs(code, "error in the body")) }

func (s shape) failedAs(code, message string) any {
	switch s {
	case anthropic:
		return object{"type": "error", "error": object{"type": code, "message": message}}
	case gemini, geminiArray:
		return object{"error": object{"code": 500, "message": message, "status": code}}
	}
	return object{"error": object{"code": code, "message": message, "type": "server_error"}}
}

func event(name string, data any) string {
	if name != "" {
		name = "event: " + name + "\n"
	}
	return name + "data: " + encode(data) + "\n\n"
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // objects of texts and numbers
	}
	return string(data)
}
