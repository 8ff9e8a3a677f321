package scenario

import (
	"fmt"
	"math"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/policy"
	"stampede/provider"
)

// mix builds the kinds of calls of a fleet, over its workload and its policy as they were read.
func (b *builder) mix(f *OtherFleet, out *fleet.Fleet) error {
	w := &f.Workload
	switch {
	case len(w.Mix) == 0:
		return nil
	case w.Sessions != nil || w.Trace != nil:
		return b.errorf("workload.mix", "found it beside %s, whose calls have sizes of their own; want one of them",
			map[bool]string{true: "sessions", false: "trace"}[w.Sessions != nil])
	case len(w.Mix) > fleet.MaxKinds:
		return b.errorf("workload.mix", "found %d kinds; want at most %d", len(w.Mix), fleet.MaxKinds)
	}
	shares, err := b.shares(w.Mix)
	if err != nil {
		return err
	}
	base := out.Workload.Sizes.(fleet.Drawn)
	for i := range w.Mix {
		of := &w.Mix[i]
		at := fmt.Sprintf("workload.mix.%d", i)
		k := fleet.Kind{Name: oneLine(of.Name), Share: shares[i], Client: out.Client, Patience: out.Workload.Patience}
		if k.Priority = f.Fleet.Priority; of.Priority != nil {
			k.Priority = *of.Priority
		}
		if k.Name == "" {
			k.Name = fmt.Sprintf("kind %d", i+1)
		}
		if slices.ContainsFunc(out.Workload.Kinds, func(other fleet.Kind) bool { return other.Name == k.Name }) {
			return b.errorf(at+".name", "found %q again; want a name of its own", k.Name)
		}
		if k.Sizes, err = b.sizesOfKind(w, of, at, base); err != nil {
			return err
		}
		if of.Patience != nil {
			if k.Patience, err = of.Patience.build(); err != nil {
				return b.errorf(at+".patience", "%v", err)
			}
		}
		k.Client.Timeouts = timeouts(new(of.Timeouts.over(f.Policy.Timeouts)))
		k.Client.Retry.Deadline = time.Duration(f.Policy.Retry.Deadline)
		boundByCall(&k.Client)
		out.Workload.Kinds = append(out.Workload.Kinds, k)
	}
	if r := out.Workload.Redelivery; r.WhileWorking && out.Workload.Leaves() {
		return b.errorf("workload.redeliver.while_working",
			"found it beside the patience of a kind; a caller that leaves has one delivery at a time; want one of them")
	}
	out.Workload.Sizes, out.Workload.Patience = nil, nil
	return nil
}

// shares are those of the kinds; one may leave its share out, which is then what the others leave.
func (b *builder) shares(kinds []CallKind) ([]float64, error) {
	out := make([]float64, len(kinds))
	open, sum := -1, 0.0
	for i, k := range kinds {
		at := fmt.Sprintf("workload.mix.%d.share", i)
		switch {
		case k.Share == nil && open >= 0:
			return nil, b.errorf(at, "found nothing, as in workload.mix.%d; want the shares of all kinds but one", open)
		case k.Share == nil:
			open = i
		default:
			out[i] = float64(*k.Share)
			sum += out[i]
		}
	}
	switch {
	case sum > 1+1e-9:
		return nil, b.errorf("workload.mix", "found shares that add up to %s; want 100%%", percentOf(sum))
	case open >= 0:
		out[open] = max(0, 1-sum)
	case sum < 1-1e-9:
		return nil, b.errorf("workload.mix", "found shares that add up to %s; want 100%%, or a kind without a share, "+
			"which has the rest", percentOf(sum))
	}
	return out, nil
}

// percentOf writes a share exactly enough to see that it is not 1.
func percentOf(share float64) string { return number(math.Round(share*1e6)/1e4) + "%" }

// sizesOfKind are the sizes of calls of a kind, over those of the workload.
func (b *builder) sizesOfKind(w *Workload, of *CallKind, at string, sizes fleet.Drawn) (_ fleet.Drawn, err error) {
	if of.PromptTokens.set() {
		if sizes.Prompt, err = of.PromptTokens.build(); err != nil {
			return sizes, b.errorf(at+".prompt_tokens", "%v", err)
		}
		if sizes.Prompt, err = b.inputs(w, sizes.Prompt); err != nil {
			return sizes, err
		}
	}
	if of.OutputTokens.set() {
		if sizes.Output, err = of.OutputTokens.build(); err != nil {
			return sizes, b.errorf(at+".output_tokens", "%v", err)
		}
	}
	if of.Reasoning != nil {
		if sizes.Reasoning, err = of.Reasoning.build(); err != nil {
			return sizes, b.errorf(at+".reasoning_tokens", "%v", err)
		}
	}
	if of.MaxTokens != nil {
		if *of.MaxTokens > 1e8 {
			return sizes, b.errorf(at+".max_tokens", "found %d; want at most 100M", *of.MaxTokens)
		}
		sizes.MaxTokens = int32(*of.MaxTokens)
	}
	if of.CachedShare != nil {
		if w.Cache != nil {
			return sizes, b.errorf(at+".cached_share", "found it beside workload.cache; want one of them")
		}
		sizes.CachedShare = float64(*of.CachedShare)
	}
	for _, size := range []struct {
		name  string
		found bool
	}{{"prompt_tokens", sizes.Prompt != nil}, {"output_tokens", sizes.Output != nil}} {
		if !size.found {
			return sizes, b.errorf(at+"."+size.name, "found nothing, nor workload.%s; want a number of tokens or a law",
				size.name)
		}
	}
	return sizes, nil
}

// ofKinds are a fleet as it is with calls of one kind only, for each kind.
func ofKinds(f *fleet.Fleet) []fleet.Fleet {
	if len(f.Workload.Kinds) == 0 {
		return []fleet.Fleet{*f}
	}
	var out []fleet.Fleet
	for _, k := range f.Workload.Kinds {
		out = append(out, f.Alone(k))
	}
	return out
}

// shareOf is the share of the calls of fleet i of those by kind.
func shareOf(f *fleet.Fleet, i int) float64 {
	if len(f.Workload.Kinds) == 0 {
		return 1
	}
	return f.Workload.Kinds[i].Share
}

// ofKind names the kind of the calls of fleet i of those by kind; empty without kinds.
func ofKind(f *fleet.Fleet, i int) string {
	if len(f.Workload.Kinds) == 0 {
		return ""
	}
	return " of kind " + f.Workload.Kinds[i].Name
}

// meanChargeOf is what the requests of a fleet count on average at admission.
func meanChargeOf(l *provider.Limit, f *fleet.Fleet) (sum float64) {
	for i, one := range ofKinds(f) {
		sum += shareOf(f, i) * meanCharge(l, sizesOf(&one.Workload))
	}
	return sum
}

// undeclares reports whether some requests of a workload do not say their max_tokens.
func undeclares(w *Workload, built *fleet.Workload) bool {
	if len(built.Kinds) > 0 {
		return slices.ContainsFunc(built.Kinds, func(k fleet.Kind) bool { return k.Sizes.(fleet.Drawn).MaxTokens == 0 })
	}
	t, _ := built.Sizes.(*fleet.Trace)
	recorded := t != nil && len(t.MaxTokens) > 0 && slices.Min(t.MaxTokens) > 0
	return w.MaxTokens == 0 && !recorded
}

// explainKinds says of each kind how many of the calls it is, how large they are, and what timeouts they have.
func explainKinds(f *fleet.Fleet) (lines []string) {
	for _, k := range f.Workload.Kinds {
		sizes := k.Sizes.(fleet.Drawn)
		text := fmt.Sprintf("%s of the calls are of kind %s: prompts %v tokens, answers %v tokens", percentOf(k.Share),
			k.Name, sizes.Prompt, sizes.Output)
		if sizes.Reasoning != nil {
			text += fmt.Sprintf(" after %v of reasoning", sizes.Reasoning)
		}
		if sizes.MaxTokens > 0 {
			text += fmt.Sprintf(", cut at max_tokens %d", sizes.MaxTokens)
		}
		if t := k.Client.Timeouts.Describe(); t != "" {
			text += "; " + t
		}
		if k.Patience != nil {
			text += fmt.Sprintf("; a caller leaves after %v seconds", k.Patience)
		}
		if g := &f.Client.Gate; g.On() && g.Order == policy.ByPriority {
			text += fmt.Sprintf("; priority %d at the gate", k.Priority)
		}
		lines = append(lines, text+".")
	}
	return lines
}
