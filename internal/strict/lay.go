package strict

import (
	"slices"
	"strconv"
)

// Without is a mapping without the field of a name.
func (n *Node) Without(name string) *Node {
	out := *n
	out.Keys, out.Items = nil, nil
	for i, key := range n.Keys {
		if key.Name != name {
			out.Keys, out.Items = append(out.Keys, key), append(out.Items, n.Items[i])
		}
	}
	return &out
}

// Lay is the document with a setting written into it: what a reader would change by hand. It reports false where
// the setting adds to what is there, or reaches into what is written as one value, such as the name of a preset.
func (n *Node) Lay(setting *Node) (*Node, bool) {
	if !setting.step {
		return setting, !setting.adds
	}
	key := setting.Keys[0]
	out := *n
	out.Keys, out.Items = slices.Clone(n.Keys), slices.Clone(n.Items)
	at := -1
	switch n.Kind {
	case Mapping:
		at = slices.IndexFunc(n.Keys, func(k Key) bool { return k.Name == key.Name })
	case Sequence:
		if i, err := strconv.Atoi(key.Name); err == nil && i >= 0 && i < len(n.Items) {
			at = i
		}
	}
	switch {
	case at >= 0:
		item, ok := n.Items[at].Lay(setting.Items[0])
		out.Items[at] = item
		return &out, ok
	case n.Kind != Mapping:
		return nil, false
	}
	empty := &Node{Kind: Mapping}
	item, ok := empty.Lay(setting.Items[0])
	out.Keys, out.Items = append(out.Keys, key), append(out.Items, item)
	return &out, ok
}
