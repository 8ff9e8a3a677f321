package scenario

import (
	"slices"

	"stampede/internal/strict"
)

// Tiers are the presets of the same provider and model, from the lowest tier to the highest, the preset itself
// among them. Former ones are left out, unless the preset is one. It is nil where the preset has no tier.
func (p *Preset) Tiers() (out []*Preset) {
	if p.Tier == "" {
		return nil
	}
	for _, other := range Presets() {
		if other == p || other.table == p.table && (other.ReplacedBy == "") == (p.ReplacedBy == "") {
			out = append(out, other)
		}
	}
	return out
}

// SettingsFrom are the settings that turn a provider that began as another preset into this one, and leave
// alone what the two have in common.
func (p *Preset) SettingsFrom(other *Preset) (out []string) {
	own, its := p.node.Field("provider"), other.node.Field("provider")
	for _, key := range slices.Concat(own.Keys, its.Keys) {
		value := "null"
		to, from := own.Field(key.Name), its.Field(key.Name)
		if to != nil {
			value = to.Quoted()
		}
		setting := "provider." + key.Name + "=" + value
		if !sameNode(to, from) && !slices.Contains(out, setting) {
			out = append(out, setting)
		}
	}
	return out
}

func sameNode(a, b *strict.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Flow() == b.Flow()
}
