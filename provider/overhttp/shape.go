package overhttp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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
)

// shapeOf tells the form by the path of the request.
func shapeOf(path string) shape {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic
	case strings.Contains(path, "enerateContent"):
		return gemini
	}
	return openAI
}

// text is an answer of so many tokens.
func text(tokens int) string { return strings.TrimSuffix(strings.Repeat("word ", tokens), " ") }

// answer is a whole answer.
func (s shape) answer(r provider.Request, output int) string {
	switch s {
	case anthropic:
		return encode(map[string]any{
			"id": fmt.Sprintf("msg_%d", r.Call), "type": "message", "role": "assistant", "model": "simulated", "stop_reason": "end_turn", "stop_sequence": nil,
			"content": []any{map[string]any{"type": "text", "text": text(output)}},
			"usage":   map[string]any{"input_tokens": r.Prompt, "output_tokens": output},
		})
	case gemini:
		return encode(map[string]any{
			"candidates":    []any{map[string]any{"content": map[string]any{"role": "model", "parts": []any{map[string]any{"text": text(output)}}}, "finishReason": "STOP"}},
			"usageMetadata": map[string]any{"promptTokenCount": r.Prompt, "candidatesTokenCount": output, "totalTokenCount": r.Prompt + output},
		})
	}
	return encode(map[string]any{
		"id": fmt.Sprintf("chatcmpl-%d", r.Call), "object": "chat.completion", "created": 0, "model": "simulated",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text(output)}}},
		"usage":   map[string]any{"prompt_tokens": r.Prompt, "completion_tokens": output, "total_tokens": r.Prompt + output},
	})
}

// chunk is a part of a streamed answer, as an event.
func (s shape) chunk(words string, first bool) string {
	if s == anthropic {
		out := ""
		if first {
			out = event("message_start", map[string]any{"type": "message_start", "message": map[string]any{"id": "msg", "type": "message", "role": "assistant", "model": "simulated", "content": []any{}, "usage": map[string]any{"input_tokens": 0, "output_tokens": 0}}}) +
				event("content_block_start", map[string]any{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "text", "text": ""}})
		}
		return out + event("content_block_delta", map[string]any{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "text_delta", "text": words}})
	}
	return event("", map[string]any{"id": "chatcmpl", "object": "chat.completion.chunk", "created": 0, "model": "simulated",
		"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": words}}}})
}

// end is the end of a streamed answer.
func (s shape) end(output int) string {
	if s == anthropic {
		return event("content_block_stop", map[string]any{"type": "content_block_stop", "index": 0}) +
			event("message_delta", map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": "end_turn"}, "usage": map[string]any{"output_tokens": output}}) +
			event("message_stop", map[string]any{"type": "message_stop"})
	}
	return "data: [DONE]\n\n"
}

// failure is an error inside a stream.
func (s shape) failure(code string) string {
	if s == anthropic {
		return event("error", map[string]any{"type": "error", "error": map[string]any{"type": code, "message": "error in the stream"}})
	}
	return event("error", map[string]any{"error": map[string]any{"code": code, "message": "error in the stream", "type": "server_error"}})
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

// pieces is into how many a streamed answer is cut at the most.
const pieces = 20

// stream writes an answer over a span, from now on.
func (t *Transport) stream(ctx context.Context, ask asked, reply wire.Reply, output int, span time.Duration, gone func()) io.ReadCloser {
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
			io.WriteString(w, ask.shape.end(output))
			w.Close()
		}
	}()
	return &stream{r, cancel}
}
