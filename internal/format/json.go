// The page writes no JSON, so that its engine goes without the library.

//go:build !js

package format

import (
	"bytes"
	"encoding/json"
)

// JSON is json.Marshal with <, > and & as they are: the text of a goal is to be found in a file by its own letters.
func JSON(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}
