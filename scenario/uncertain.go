package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"stampede/internal/nearest"
	"stampede/internal/strict"
)

// Uncertain is what is not known of a scenario: fields whose numbers a search draws, once for each replication.
type Uncertain []UncertainField

// UncertainField is a field with what is known of its number.
type UncertainField struct {
	Path string
	By   Tolerance
}

// Tolerance is a share by which a number may be smaller or larger than the scenario says, or a range.
type Tolerance struct {
	Share Share
	span  *numberRange
}

// ParseText implements strict.Texter.
func (s *Tolerance) ParseText(text string) error {
	*s = Tolerance{}
	if strings.Contains(text, "..") {
		r, err := parseRange(text)
		s.span = &r
		return err
	}
	share, _ := strings.CutPrefix(strings.TrimSpace(text), "±")
	if err := s.Share.ParseText(strings.TrimSpace(share)); err != nil || s.Share <= 0 || s.Share >= 1 {
		return fmt.Errorf("want a share such as ±20%% or a range such as 10s..60s")
	}
	return nil
}

func (s Tolerance) String() string {
	if s.span != nil {
		return Axis{span: s.span}.Range()
	}
	return "±" + s.Share.String()
}

// UnmarshalNode implements strict.Unmarshaler: each field is a path with its tolerance.
func (u *Uncertain) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if n.Kind != strict.Mapping {
		return n.Fail(path, "found %v; want a mapping of paths to tolerances such as ±20%%", n.Kind)
	}
	*u = nil
	for i, key := range n.Keys {
		item, at := n.Items[i], strict.Join(path, key.Name)
		field := UncertainField{Path: key.Name}
		if err := d.Decode(item, &field.By); err != nil {
			return item.Fail(at, "found %q; want a share such as ±20%% or a range such as 10s..60s", item.Text)
		}
		if _, err := FindField(key.Name); err != nil {
			return item.Fail(at, "%v", err)
		}
		switch top, _, _ := strings.Cut(key.Name, "."); top {
		case "workload", "fleet", "provider", "price", "keys", "deployments", "other_fleets", "fallbacks":
		default:
			return item.Fail(at, "found a field of %s; %s", top,
				nearest.Unknown(top, []string{"workload", "fleet", "provider", "price", "other_fleets"}))
		}
		*u = append(*u, field)
	}
	return nil
}

// Mapping writes it as it is read.
func (u Uncertain) Mapping() (keys []string, values []any) {
	for _, f := range u {
		keys, values = append(keys, f.Path), append(values, f.By)
	}
	return keys, values
}

func (u Uncertain) String() string {
	var parts []string
	for _, f := range u {
		parts = append(parts, f.Path+" "+f.By.String())
	}
	return strings.Join(parts, ", ")
}

// Drawn is the setting PATH=VALUE of an uncertain field at the part p of what is possible, 0 to 1. The whole numbers
// without a unit stay whole.
func (s *Scenario) Drawn(f UncertainField, p float64) (string, error) {
	if r := f.By.span; r != nil {
		return f.Path + "=" + r.sample(p), nil
	}
	text, err := s.ValueAt(f.Path)
	if err != nil {
		return "", fmt.Errorf("uncertain.%s: %w", f.Path, err)
	}
	for _, plain := range []string{"{count: ", "{constant: "} { // workers and laws that do not vary are mere numbers
		if number, ok := strings.CutPrefix(text, plain); ok {
			text, _, _ = strings.Cut(strings.TrimSuffix(number, "}"), ",")
		}
	}
	end := 0
	for end < len(text) && strings.ContainsRune("0123456789.", rune(text[end])) {
		end++
	}
	x, err := strconv.ParseFloat(text[:end], 64)
	if err != nil {
		return "", fmt.Errorf("uncertain.%s: found the value %s; want a number, with or without a unit", f.Path, text)
	}
	unit := text[end:]
	drawn := x * (1 + float64(f.By.Share)*(2*p-1))
	if unit == "" && x == math.Trunc(x) && x >= 1 {
		return f.Path + "=" + strconv.FormatFloat(max(1, math.Round(drawn)), 'f', -1, 64), nil
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(drawn, 'g', 6, 64), 64)
	return f.Path + "=" + strconv.FormatFloat(rounded, 'f', -1, 64) + unit, nil
}

// Settings are the settings of all uncertain fields; the parts are given by path.
func (s *Scenario) Settings(part func(path string) float64) (out []string, err error) {
	for _, f := range slices.Clone(s.Uncertain) {
		set, err := s.Drawn(f, part(f.Path))
		if err != nil {
			return nil, err
		}
		out = append(out, set)
	}
	return out, nil
}
