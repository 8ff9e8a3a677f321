// Package genai asks once with the Go SDK of Google.
package genai

import (
	"context"
	"net/http"

	"google.golang.org/genai"
)

// Ask sends one question with a client of default settings. It returns the client's error.
func Ask(ctx context.Context, transport http.RoundTripper) error { return ask(ctx, transport, nil) }

// AskRetrying does the same with empty retry options.
func AskRetrying(ctx context.Context, transport http.RoundTripper) error {
	return ask(ctx, transport, &genai.HTTPRetryOptions{})
}

func ask(ctx context.Context, transport http.RoundTripper, retry *genai.HTTPRetryOptions) error {
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey:      "k",
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  &http.Client{Transport: transport},
		HTTPOptions: genai.HTTPOptions{RetryOptions: retry},
	})
	if err != nil {
		return err
	}
	_, err = client.Models.GenerateContent(ctx, "m", genai.Text("hello"), nil)
	return err
}
