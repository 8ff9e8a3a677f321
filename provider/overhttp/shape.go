package overhttp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"stampede/provider"
	"stampede/wire"
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

// text is an answer of so many tokens.
func text(tokens int) string { return strings.TrimSuffix(strings.Repeat("word ", tokens), " ") }

// answer is a whole answer.
func (s shape) answer(r provider.Request, output int) string {
	switch s {
	case anthropic:
		return encode(map[string]any{
			"id": fmt.Sprintf(
				"msg_%d",
				r.Call,
			), "type": "message", "role": "assistant", "model": "simulated", "stop_reason": "end_turn",
			"stop_sequence": nil,
			"content":       []any{map[string]any{"type": "text", "text": text(output)}},
			"usage":         map[string]any{"input_tokens": r.Prompt, "output_tokens": output},
		})
	case gemini:
		return encode(content(text(output), r.Prompt, output, true))
	case geminiArray:
		return encode([]any{content(text(output), r.Prompt, output, true)})
	}
	return encode(map[string]any{
		"id": fmt.Sprintf("chatcmpl-%d", r.Call), "object": "chat.completion", "created": 0, "model": "simulated",
		"choices": []any{
			map[string]any{
				"index":         0,
				"finish_reason": "stop",
				"message":       map[string]any{"role": "assistant", "content": text(output)},
			},
		},
		"usage": map[string]any{
			"prompt_tokens":     r.Prompt,
			"completion_tokens": output,
			"total_tokens":      r.Prompt + output,
		},
	})
}

// content is Gemini's answer, or a part of one; the last says why it ends and what it used.
func content(words string, prompt, output int, last bool) map[string]any {
	candidate := map[string]any{
		"index":   0,
		"content": map[string]any{"role": "model", "parts": []any{map[string]any{"text": words}}},
	}
	out := map[string]any{"candidates": []any{candidate}, "modelVersion": "simulated"}
	if last {
		candidate["finishReason"] = "STOP"
		out["usageMetadata"] = map[string]any{
			"promptTokenCount":     prompt,
			"candidatesTokenCount": output,
			"totalTokenCount":      prompt + output,
		}
	}
	return out
}

// chunk is a part of a streamed answer, as an event.
func (s shape) chunk(words string, first bool) string {
	if s == gemini {
		return event("", content(words, 0, 0, false))
	}
	if s == anthropic {
		out := ""
		if first {
			out = event(
				"message_start",
				map[string]any{
					"type": "message_start",
					"message": map[string]any{
						"id":      "msg",
						"type":    "message",
						"role":    "assistant",
						"model":   "simulated",
						"content": []any{},
						"usage":   map[string]any{"input_tokens": 0, "output_tokens": 0},
					},
				},
			) +
				event(
					"content_block_start",
					map[string]any{
						"type":          "content_block_start",
						"index":         0,
						"content_block": map[string]any{"type": "text", "text": ""},
					},
				)
		}
		return out + event(
			"content_block_delta",
			map[string]any{
				"type":  "content_block_delta",
				"index": 0,
				"delta": map[string]any{"type": "text_delta", "text": words},
			},
		)
	}
	return event(
		"",
		map[string]any{"id": "chatcmpl", "object": "chat.completion.chunk", "created": 0, "model": "simulated",
			"choices": []any{
				map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": words}}}},
	)
}

// end is the end of a streamed answer.
func (s shape) end(prompt, output int) string {
	if s == gemini {
		return event("", content("", prompt, output, true))
	}
	if s == anthropic {
		return event("content_block_stop", map[string]any{"type": "content_block_stop", "index": 0}) +
			event(
				"message_delta",
				map[string]any{
					"type":  "message_delta",
					"delta": map[string]any{"stop_reason": "end_turn"},
					"usage": map[string]any{"output_tokens": output},
				},
			) +
			event("message_stop", map[string]any{"type": "message_stop"})
	}
	return "data: [DONE]\n\n"
}

// failure is an error inside a stream.
func (s shape) failure(code string) string {
	if s == anthropic {
		return event("error",
			map[string]any{"type": "error", "error": map[string]any{"type": code, "message": "error in the stream"}})
	}
	if s == gemini {
		return event("",
			map[string]any{"error": map[string]any{"code": 500, "message": "error in the stream", "status": code}})
	}
	return event(
		"error",
		map[string]any{
			"error": map[string]any{"code": code, "message": "error in the stream", "type": "server_error"},
		},
	)
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
		panic(err) // maps of strings and numbers
	}
	return string(data)
}

// stream is the body of an answer that comes piece by piece.
type stream struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close implements io.Closer: the client leaves.
func (s *stream) Close() error {
	s.cancel()
	return s.PipeReader.Close()
}

// pieces is the maximum number of pieces of a streamed answer.
const pieces = 20

// stream writes an answer over a duration, beginning now.
func (t *Transport) stream(
	ctx context.Context,
	ask asked,
	reply wire.Reply,
	output int,
	span time.Duration,
	gone func(),
) io.ReadCloser {
	ctx, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	go func() {
		defer cancel()
		n := min(pieces, max(1, output))
		for i := range n {
			if i > 0 {
				if err := sleep(ctx, span/time.Duration(n-1)); err != nil {
					gone()
					w.CloseWithError(err)
					return
				}
			}
			words := text(output*(i+1)/n - output*i/n)
			if _, err := io.WriteString(w, ask.shape.chunk(words+" ", i == 0)); err != nil {
				gone()
				return
			}
		}
		switch {
		case reply.Failure == wire.InStream:
			io.WriteString(w, ask.shape.failure(reply.Code))
			w.Close()
		case reply.Failure != wire.None:
			w.CloseWithError(io.ErrUnexpectedEOF)
		default:
			io.WriteString(w, ask.shape.end(ask.prompt, output))
			w.Close()
		}
	}()
	return &stream{r, cancel}
}
