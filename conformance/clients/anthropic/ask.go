// Package anthropic asks once with the Go SDK of Anthropic.
package anthropic

import (
	"context"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// Ask sends one question with a client of default settings. It returns the client's error.
func Ask(ctx context.Context, transport http.RoundTripper, more ...option.RequestOption) error {
	options := []option.RequestOption{option.WithAPIKey("k"), option.WithHTTPClient(&http.Client{Transport: transport})}
	client := anthropic.NewClient(append(options, more...)...)
	_, err := client.Messages.New(ctx, anthropic.MessageNewParams{
		Model:     "m",
		MaxTokens: 100,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hello"))},
	})
	return err
}
