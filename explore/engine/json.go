//go:build !js

package engine

import "encoding/json"

// Reply is an [Answer] in JSON.
type Reply struct {
	JSON    []byte
	Buffers map[string][]byte
}

// Call is [Session.Answer] with the arguments and the answer in JSON.
func (s *Session) Call(op string, args []byte) (Reply, bool) {
	var a any
	if err := json.Unmarshal(args, &a); err != nil {
		panic(err) // of the program that calls
	}
	answer, ok := s.Answer(op, a)
	text, err := json.Marshal(answer.Value)
	if err != nil {
		panic(err) // all numbers are finite
	}
	return Reply{text, answer.Buffers}, ok
}
