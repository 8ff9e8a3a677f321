// Package strict reads YAML into Go structs and forgives nothing: an unknown
// field, a wrong kind, a value out of range each give one error with file,
// line, column, path, what was found and what is allowed.
//
// A document is a tree of nodes that remember where they were written. Trees
// are laid over one another by decoding them one after the other into the same
// value: a preset, then the file, then the settings of the command line.
package strict

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Kind is the kind of a node.
type Kind uint8

const (
	Null Kind = iota
	Scalar
	Sequence
	Mapping
)

// String names the kind for an error message.
func (k Kind) String() string { return [...]string{"nothing", "a value", "a list", "a mapping"}[k] }

// Node is a part of a document.
type Node struct {
	Kind   Kind
	Text   string // of a scalar
	Keys   []Key  // of a mapping, in the order written
	Items  []*Node
	origin origin
	// Of a setting: what it holds replaces what is there (whole), or is added to the list
	// that is there (adds); a mapping that is a step of its path reaches inside.
	whole, adds, step bool
	size              int // nodes in it, itself included, with aliases written out
}

// Key is a key of a mapping; its value is the item of the same index.
type Key struct {
	Name   string
	origin origin
}

// origin is where something was written.
type origin struct {
	source       *source
	line, column int
}

type source struct {
	name  string // a file, or a setting of the command line
	lines []string
}

// Error is a mistake in a document.
type Error struct {
	Path    string // of the field, such as policy.retry.attempts
	Message string
	origin  origin
}

// Place is the file, or the setting, and the line and column in it, from 1; 0 when they are unknown.
func (e *Error) Place() (file string, line, column int) {
	if e.origin.source == nil {
		return "", 0, 0
	}
	return e.origin.source.name, e.origin.line, e.origin.column
}

// Error writes place, path and message, and under it the line with a mark.
func (e *Error) Error() string {
	var b strings.Builder
	o := e.origin
	if o.source != nil {
		b.WriteString(o.source.name)
		if o.line > 0 {
			fmt.Fprintf(&b, ":%d:%d", o.line, o.column)
		}
		b.WriteString(": ")
	}
	if e.Path != "" {
		b.WriteString(clipped(e.Path) + ": ")
	}
	b.WriteString(clipped(e.Message))
	if o.source != nil && o.line > 0 && o.line <= len(o.source.lines) {
		number := fmt.Sprintf("%4d", o.line)
		line, mark := excerpt(o.source.lines[o.line-1], o.column)
		fmt.Fprintf(&b, "\n%s | %s\n%s | %s^", number, line, strings.Repeat(" ", len(number)),
			strings.Repeat(" ", mark))
	}
	return b.String()
}

// clipped is a text, or the beginning of one that is very long since a value stands in it.
func clipped(text string) string {
	const maxBytes = 1000
	if len(text) > maxBytes {
		return strings.ToValidUTF8(text[:maxBytes], "") + "..."
	}
	return text
}

// excerpt is the part of a line around a column, counted in characters from 1, and how many
// characters of it stand before that column.
func excerpt(line string, column int) (part string, before int) {
	const width = 120
	text := []rune(strings.ReplaceAll(line, "\t", " "))
	before = min(max(0, column-1), len(text))
	if from := before - width/2; len(text) > width && from > 0 {
		text, before = append([]rune("..."), text[from:]...), before-from+3
	}
	if len(text) > width {
		text = append(text[:width], []rune("...")...)
	}
	return string(text), before
}

// Parse reads one YAML document. The name is that of the file, for errors.
func Parse(data []byte, name string) (*Node, error) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	src := &source{name: name, lines: strings.Split(text, "\n")}
	fail := func(line, column int, message string) error {
		return &Error{Message: message, origin: origin{src, line, column}}
	}
	if len(text) > maxBytes {
		return nil, fail(0, 0, fmt.Sprintf("the file has %d bytes; want at most %d", len(text), maxBytes))
	}
	tokens := lexer.Tokenize(text)
	if at, what := measure(tokens); at != nil {
		return nil, fail(at.Position.Line, at.Position.Column, "too large: "+what)
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) && syntax.Token != nil {
			return nil, fail(syntax.Token.Position.Line, syntax.Token.Position.Column, "not YAML: "+syntax.Message)
		}
		return nil, fail(0, 0, "not YAML: "+err.Error())
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			p := doc.Body.GetToken().Position
			return nil, fail(p.Line, p.Column, "a second document; a file holds one")
		}
		body = doc.Body
	}
	if body == nil {
		return nil, fail(0, 0, "the file is empty")
	}
	r := reader{src: src, anchors: map[string]*Node{}}
	return r.node(body, 0)
}

// reader turns the syntax tree of the YAML library into nodes.
type reader struct {
	src     *source
	anchors map[string]*Node
}

func (r *reader) at(t *token.Token) origin {
	if t == nil || t.Position == nil {
		return origin{source: r.src}
	}
	return origin{r.src, t.Position.Line, t.Position.Column}
}

func (r *reader) node(n ast.Node, depth int) (*Node, error) {
	if n == nil {
		return &Node{origin: origin{source: r.src}, size: 1}, nil
	}
	o := r.at(n.GetToken())
	fail := func(format string, args ...any) (*Node, error) {
		return nil, &Error{Message: fmt.Sprintf(format, args...), origin: o}
	}
	if depth > maxDepth {
		return fail("too large: nested more than %d levels deep", maxDepth)
	}
	switch n := n.(type) {
	case *ast.NullNode:
		out := &Node{origin: o, size: 1}
		if n.GetToken().Type != token.ImplicitNullType { // null or ~ was written
			out.Text = n.GetToken().Value
		}
		return out, nil
	case *ast.MappingNode:
		return r.mapping(n.Values, o, depth)
	case *ast.MappingValueNode:
		return r.mapping([]*ast.MappingValueNode{n}, r.at(n.Key.GetToken()), depth)
	case *ast.SequenceNode:
		out := &Node{Kind: Sequence, origin: o, size: 1}
		for _, item := range n.Values {
			child, err := r.node(item, depth+1)
			if err == nil {
				err = out.add(child)
			}
			if err != nil {
				return nil, err
			}
		}
		return out, nil
	case *ast.AnchorNode:
		out, err := r.node(n.Value, depth+1)
		if err == nil {
			r.anchors[n.Name.GetToken().Value] = out
		}
		return out, err
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		if out, ok := r.anchors[name]; ok {
			return out, nil
		}
		return fail("no anchor &%s before this alias", name)
	case *ast.LiteralNode:
		return &Node{Kind: Scalar, Text: n.Value.Value, origin: o, size: 1}, nil
	case *ast.TagNode:
		return fail("tags such as %s are not supported; write the value alone", n.GetToken().Value)
	case ast.ScalarNode:
		if _, ok := n.(*ast.MergeKeyNode); ok {
			return fail("merge keys are not supported")
		}
		return &Node{Kind: Scalar, Text: n.GetToken().Value, origin: o, size: 1}, nil
	}
	return fail("%v is not supported here", n.Type())
}

func (r *reader) mapping(values []*ast.MappingValueNode, o origin, depth int) (*Node, error) {
	out := &Node{Kind: Mapping, origin: o, size: 1}
	if len(values) > maxKeys {
		return nil, &Error{Message: fmt.Sprintf("too large: a mapping of more than %d fields", maxKeys), origin: o}
	}
	for _, v := range values {
		key := v.Key.GetToken()
		switch v.Key.(type) {
		case *ast.MergeKeyNode:
			return nil, &Error{Message: "merge keys are not supported", origin: r.at(key)}
		case *ast.TagNode, *ast.AnchorNode, *ast.AliasNode, *ast.MappingKeyNode:
			return nil, &Error{Message: "found a name with a tag, an anchor, an alias or ?; want the name alone",
				origin: r.at(key)}
		}
		if out.field(key.Value) != nil {
			return nil, &Error{Message: fmt.Sprintf("field %q stands twice", key.Value), origin: r.at(key)}
		}
		child, err := r.node(v.Value, depth+1)
		if err != nil {
			return nil, err
		}
		if child.origin.line == 0 {
			child.origin = r.at(key)
		}
		out.Keys = append(out.Keys, Key{key.Value, r.at(key)})
		if err := out.add(child); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// add appends an item, unless the node would grow too large.
func (n *Node) add(item *Node) error {
	n.Items = append(n.Items, item)
	if n.size += item.size; n.size > maxNodes {
		return &Error{
			Message: fmt.Sprintf("too large: more than %d values, with aliases written out", maxNodes),
			origin:  item.origin,
		}
	}
	return nil
}

// field is the value of a key, nil when it is not there.
func (n *Node) field(name string) *Node {
	for i, k := range n.Keys {
		if k.Name == name {
			return n.Items[i]
		}
	}
	return nil
}

// Field is the value of a key of a mapping, nil when it is not there.
func (n *Node) Field(name string) *Node {
	if n == nil || n.Kind != Mapping {
		return nil
	}
	return n.field(name)
}

// Setting is a document that sets the one field at the path, such as
// policy.gate.semaphore or provider.limits.0.limit: a mapping or a list replaces what is
// there. With a + behind the path the mapping is merged into what is there, and the list is
// added to it. The source names the setting in errors.
func Setting(path, value, name string) (*Node, error) {
	node, err := Parse([]byte(value), name)
	if strings.TrimSpace(value) == "" {
		node, err = &Node{Kind: Scalar}, nil
	}
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.origin.line = 0
		}
		return nil, err
	}
	for _, part := range strings.Split(path, ".") {
		if part == "" {
			return nil, &Error{
				Message: fmt.Sprintf("the path %q has an empty part; write it as in policy.gate.semaphore", path),
				origin:  origin{source: &source{name: name}},
			}
		}
	}
	return node.Under(path, name), nil
}

// Under is a document that holds a copy of the node as the one field at the
// path, as in [Setting]. The source names it in errors.
func (n *Node) Under(path, name string) *Node {
	at := origin{source: &source{name: name}}
	node := n.relocated(at)
	path, merged := strings.CutSuffix(path, "+")
	node.whole, node.adds = !merged, merged
	names := strings.Split(path, ".")
	for i := len(names) - 1; i >= 0; i-- {
		node = &Node{Kind: Mapping, Keys: []Key{{names[i], at}}, Items: []*Node{node}, origin: at, step: true}
	}
	return node
}

// Reaches reports whether the node is a step of the path of a setting, which reaches into
// what is there, or is merged into it.
func (n *Node) Reaches() bool { return n.step || n.adds }

func (n *Node) relocated(at origin) *Node {
	out := &Node{Kind: n.Kind, Text: n.Text, origin: at, size: n.size}
	for _, k := range n.Keys {
		out.Keys = append(out.Keys, Key{k.Name, at})
	}
	for _, item := range n.Items {
		out.Items = append(out.Items, item.relocated(at))
	}
	return out
}

// Flow writes the node in one line, as YAML in flow style; text with a line end or another control
// character is quoted.
func (n *Node) Flow() string {
	return n.flow(func(text string) string {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return strconv.Quote(text)
		}
		return text
	})
}

// flow writes the node in flow style, each text by scalar.
func (n *Node) flow(scalar func(text string) string) string {
	var parts []string
	switch n.Kind {
	case Scalar:
		return scalar(n.Text)
	case Sequence:
		for _, item := range n.Items {
			parts = append(parts, item.flow(scalar))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Mapping:
		for i, item := range n.Items {
			parts = append(parts, n.Keys[i].Name+": "+item.flow(scalar))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "null"
}
