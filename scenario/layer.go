package scenario

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"time"

	"stampede/internal/strict"
	"stampede/policy"
)

// Layer is a retry loop around others, such as a framework around an SDK.
type Layer struct {
	Name    string `yaml:"name"`
	Preset  string `yaml:"preset"`
	Retry   Retry  `yaml:"retry" none:"one attempt"`
	Timeout Span   `yaml:"timeout" none:"no timer" unlimited:"no timer" zero:"no"`
}

// UnmarshalNode implements strict.Unmarshaler, like that of Policy: of a preset the layer has the
// retries and the timeout of a call.
func (l *Layer) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	named := n
	if n.Kind != strict.Scalar {
		named = n.Field("preset")
	}
	if named != nil {
		var p Policy
		strict.Reset(reflect.ValueOf(&p).Elem())
		if err := underPreset(newDecoder(), named, path, "policy", &p); err != nil {
			return err
		}
		if len(p.Outer) > 0 {
			return named.Fail(path, "found %q, which has a layer around it already; want a preset of one layer",
				named.Text)
		}
		*l = Layer{Preset: named.Text, Retry: p.Retry, Timeout: p.Timeouts.Call}
	}
	if n.Kind == strict.Scalar {
		return nil
	}
	return d.Plain(n, reflect.ValueOf(l).Elem(), path)
}

// maxLayers is how many retry loops may lie around the innermost.
const maxLayers = 8

// layers builds the retry loops around the innermost.
func (b *builder) layers(layers []Layer) (out []policy.Layer, err error) {
	var errs strict.Errors
	for i, l := range layers {
		path := fmt.Sprintf("policy.outer_layers.%d", i)
		layer := policy.Layer{
			Name:    cmp.Or(nameOf(l.Name, l.Preset, l), fmt.Sprintf("layer %d", i+2)),
			Timeout: time.Duration(l.Timeout),
		}
		layer.Retry, err = b.retry(path+".retry", &l.Retry)
		errs.Add(err)
		out = append(out, layer)
		b.warnings.once(l.leftOut())
	}
	if len(out) > maxLayers {
		errs.Add(b.errorf("policy.outer_layers", "found %d layers; want at most %d", len(out), maxLayers))
	}
	return out, errs.Join()
}

// leftOut says which parts of its preset a layer does not have: what counts or delays single requests, and
// decides there which of them are retried, is that of the innermost loop.
func (l *Layer) leftOut() string {
	if l.Preset == "" {
		return ""
	}
	preset, err := FindPreset("policy", l.Preset)
	if err != nil {
		return "" // told when it was read
	}
	is, err := (&builder{d: newDecoder()}).client(preset.Policy)
	if err != nil {
		panic(err) // a test builds them all
	}
	var parts []string
	for _, part := range []struct {
		name string
		on   bool
	}{
		{"gate", is.Gate.On()}, {"pacer", is.Pacer.On()}, {"breaker", is.Breaker.On()},
		{"throttle", is.Throttle.On()}, {"budget", is.Budget.On()}, {"hedge", is.Hedge.On()},
		{"route", !reflect.ValueOf(preset.Policy.Route).IsZero()},
	} {
		if part.on {
			parts = append(parts, part.name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("as an outer layer, %s retries without its %s", l.Preset, strings.Join(parts, ", "))
}
