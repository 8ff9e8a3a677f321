// Package openai asks once with the Go SDK of OpenAI.
package openai

import (
	"context"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// Ask sends one question with a client of default settings. It returns the client's error.
func Ask(ctx context.Context, transport http.RoundTripper, more ...option.RequestOption) error {
	options := []option.RequestOption{option.WithAPIKey("k"), option.WithHTTPClient(&http.Client{Transport: transport})}
	client := openai.NewClient(append(options, more...)...)
	_, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:    "m",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hello")},
	})
	return err
}
