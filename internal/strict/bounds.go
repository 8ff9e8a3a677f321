package strict

import (
	"fmt"

	"github.com/goccy/go-yaml/token"
)

// Bounds on a document, far above any scenario. They are checked on its tokens before it is parsed,
// because the YAML library recurses with the depth, compares the keys of a mapping pair by pair,
// and gives each node a text that names its place.
const (
	maxBytes  = 4 << 20
	maxTokens = 1 << 20
	maxDepth  = 100
	maxKeys   = 2000     // of one mapping
	maxPlaces = 64 << 20 // bytes: tokens times depth times the longest key
	maxNodes  = 1 << 20  // with aliases written out
)

// block is a block mapping or sequence under way.
type block struct{ column, keys int }

// measure reports the token at which a document exceeds a bound, with what it is.
func measure(tokens token.Tokens) (*token.Token, string) {
	if len(tokens) > maxTokens {
		return tokens[maxTokens], fmt.Sprintf("more than %d tokens", maxTokens)
	}
	var blocks []block
	flow, run, deepest, longest := 0, 0, 1, 1
	for i, t := range tokens {
		column := 0
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.SequenceEntryType:
			column = t.Position.Column
		case token.MappingValueType:
			if i > 0 {
				column = tokens[i-1].Position.Column
				longest = max(longest, len(tokens[i-1].Value))
			}
		case token.DocumentHeaderType, token.DocumentEndType:
			blocks = blocks[:0]
		}
		switch named := i > 0 && tokens[i-1].Type == token.AnchorType; {
		case t.Type == token.AnchorType, t.Type == token.TagType, t.Type == token.MappingKeyType: // before a node
			run++
		case !named:
			run = 0
		}
		if column > 0 && flow == 0 {
			for len(blocks) > 0 && blocks[len(blocks)-1].column > column {
				blocks = blocks[:len(blocks)-1]
			}
			if len(blocks) == 0 || blocks[len(blocks)-1].column < column {
				blocks = append(blocks, block{column: column})
			}
			if t.Type == token.MappingValueType {
				last := &blocks[len(blocks)-1]
				if last.keys++; last.keys > maxKeys {
					return t, fmt.Sprintf("a mapping of more than %d fields", maxKeys)
				}
			}
		}
		if deepest = max(deepest, len(blocks)+flow+run); deepest > maxDepth {
			return t, fmt.Sprintf("nested more than %d levels deep", maxDepth)
		}
	}
	if len(tokens)*deepest*longest > maxPlaces {
		return tokens[0], fmt.Sprintf(
			"%d tokens, nested %d levels deep under names of up to %d bytes; shorten one of these", len(tokens),
			deepest, longest)
	}
	return nil, ""
}
