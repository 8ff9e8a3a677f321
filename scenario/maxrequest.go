package scenario

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"stampede/fleet"
	"stampede/internal/strict"
	"stampede/provider"
)

// MaxRequest bounds the size of one request.
type MaxRequest struct {
	Bytes    Bytes  `yaml:"bytes" none:"no bound" unlimited:"no bound" zero:"no"`
	PerToken Number `yaml:"bytes_per_token" zero:"no"`
	Tokens   Count  `yaml:"tokens" none:"no bound" unlimited:"no bound" zero:"no"`
	Status   int    `yaml:"status"`
	Code     string `yaml:"code"`
}

// bytesPerToken is that of English text: "one token generally corresponds to ~4 characters of text"
// (platform.openai.com/tokenizer).
const bytesPerToken = 4

// UnmarshalNode implements strict.Unmarshaler: a size alone is a number of bytes.
func (m *MaxRequest) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if n.Kind == strict.Scalar {
		*m = MaxRequest{}
		return d.Into(n, reflect.ValueOf(&m.Bytes).Elem(), path)
	}
	return d.Plain(n, reflect.ValueOf(m).Elem(), path)
}

// Bytes is a size such as 32MB.
type Bytes float64

var byteUnits = []struct {
	unit  string
	bytes float64
}{{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"B", 1}}

// ParseText implements strict.Texter.
func (b *Bytes) ParseText(text string) error {
	for _, u := range byteUnits {
		number, ok := strings.CutSuffix(text, u.unit)
		if !ok {
			continue
		}
		x, err := amount(strings.TrimSpace(number))
		if err != nil || !(x >= 0) || x*u.bytes > 1e15 {
			break
		}
		*b = Bytes(math.Round(x * u.bytes))
		return nil
	}
	return errors.New("want a size such as 32MB, 20MiB or 500kB")
}

func (b Bytes) String() string { return fmt.Sprintf("%.0fB", float64(b)) }

// maxRequest reads the bound on the size of requests.
func (b *builder) maxRequest(at string, m *MaxRequest) (out provider.MaxRequest, err error) {
	at += ".max_request"
	out = provider.MaxRequest{Status: m.Status, Code: m.Code}
	switch {
	case m.Bytes == 0 && m.Tokens == 0 && *m != MaxRequest{}:
		return out, b.errorf(at, "found no size; want bytes, such as 32MB, or tokens")
	case m.Bytes > 0 && m.Tokens > 0:
		return out, b.errorf(at, "found bytes and tokens; want one of them")
	case m.Tokens > 0 && m.PerToken > 0:
		return out, b.errorf(at+".bytes_per_token", "found it beside tokens, where it has no effect; want bytes")
	case m.Status != 0 && (m.Status < 400 || m.Status > 499):
		return out, b.errorf(at+".status", "found %d; want the status of an error of the client, such as 413", m.Status)
	}
	tokens := float64(m.Tokens)
	if m.Bytes > 0 {
		perToken := float64(m.PerToken)
		if perToken == 0 {
			perToken = bytesPerToken
		}
		tokens = math.Floor(float64(m.Bytes) / perToken)
		if tokens < 1 {
			return out, b.errorf(at, "found %v at %v bytes per token, less than a token; want more", m.Bytes, perToken)
		}
	}
	out.Prompt = int(min(tokens, math.MaxInt32)) // no prompt is longer
	return out, nil
}

// oversizeNote notes requests that are larger than a provider reads.
func oversizeNote(m *fleet.Model, f *fleet.Fleet, whose string) string {
	longest := m.Provider.MaxRequest.Prompt
	if longest == 0 {
		return ""
	}
	sizes := sizesOf(&f.Workload)
	larger, n := 0, points(sizes)
	for k := range n {
		next := point(k)
		size := sizes.Size(uint64(k), fleet.Luck{Prompt: next(), Output: next(), Reasoning: next()})
		if int(size.Prompt) > longest {
			larger++
		}
	}
	if larger == 0 {
		return ""
	}
	if f.Workload.Sessions != nil {
		whose += ", if sessions went on to their last turn,"
	}
	return fmt.Sprintf("%s of the requests%s are larger than provider.max_request allows (%s): they are refused",
		percent(float64(larger)/float64(n)), whose, m.Provider.MaxRequest.Describe())
}
