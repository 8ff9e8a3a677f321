package experiments

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
)

// Show writes the experiment: its question, its claim, its scenario, its arms
// and its references.
func (e *Experiment) Show(w io.Writer) {
	fmt.Fprintf(w, "# %s\n# question: %s\n# claim:    %s\n# source:   %s\n", e.Name, e.Question, e.Claim, e.Source)
	fmt.Fprintf(w, "#\n# arms, as settings over the scenario below:\n")
	arms, pictures := 0, 0
	for _, a := range e.Arms {
		arms = max(arms, len(a.Name))
	}
	for _, p := range e.Pictures {
		pictures = max(pictures, len(p.Name+".png"))
	}
	for _, a := range e.Arms {
		var set string
		for _, s := range a.Set {
			set += " --set '" + s + "'"
		}
		if set == "" {
			set = " as below"
		}
		fmt.Fprintf(w, "#   %-*s%s\n", arms+1, a.Name, set)
	}
	fmt.Fprintf(w, "#\n# references:\n")
	for _, r := range e.References {
		fmt.Fprintf(w, "#   %-36s %s%s\n", r.Key, r.words(), r.from())
	}
	if len(e.Pictures) > 0 {
		fmt.Fprintf(w, "#\n# figures, of run with --plot:\n")
	}
	for _, p := range e.Pictures {
		fmt.Fprintf(w, "#   %-*s %s\n", pictures, p.Name+".png", p.Title)
		for _, s := range p.Settings {
			fmt.Fprintf(w, "#   %-*s   --set '%s'\n", pictures, "", s)
		}
	}
	fmt.Fprintf(w, "\n%s", e.Scenario())
}

// words writes what the reference expects.
func (r Reference) words() string {
	s := format.Number(r.Expected)
	switch {
	case r.List != nil:
		s = list(r.List)
	case r.Choice != nil:
		return r.Choice.word(r.Expected) + ": " + r.Choice.Why
	case math.IsInf(r.High, 1) && !math.IsInf(r.Low, -1):
		s = "at least " + format.Number(r.Low)
	case math.IsInf(r.Low, -1) && !math.IsInf(r.High, 1):
		s = "at most " + format.Number(r.High)
	case r.Low < r.High:
		s += fmt.Sprintf(" (%s..%s)", bound(r.Low), bound(r.High))
	}
	return s + " " + r.Unit
}

// bound writes the end of a band with enough digits to tell it from the figure.
func bound(x float64) string { return fmt.Sprintf("%.7g", x) }

func list(values []float64) string {
	var out []string
	for _, v := range values {
		out = append(out, format.Number(v))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// MarshalJSON writes the findings for machines.
func (r *Result) MarshalJSON() ([]byte, error) {
	type finding struct {
		Key      string     `json:"key"`
		Expected any        `json:"expected"`
		Low      any        `json:"low"`
		High     any        `json:"high"`
		Measured any        `json:"measured"`
		CI95     []*float64 `json:"ci95"`
		Unit     string     `json:"unit"`
		Source   string     `json:"source"`
		Holds    *bool      `json:"holds"`
		N        int        `json:"n"` // replications it rests on
		Note     string     `json:"note,omitempty"`
		Held     *int       `json:"held,omitempty"` // with so many of the seeds, when there are several
	}
	out := struct {
		Experiment   string    `json:"experiment"`
		Question     string    `json:"question"`
		Seed         uint64    `json:"seed"`
		Seeds        int       `json:"seeds,omitempty"`
		Replications int       `json:"replications"`
		Findings     []finding `json:"findings"`
	}{Experiment: r.Experiment.Name, Question: r.Experiment.Question, Seed: r.Seed, Replications: r.Replications}
	if r.Seeds > 1 {
		out.Seeds = r.Seeds
	}
	for _, f := range r.Findings {
		j := finding{
			Key:    f.Key,
			Unit:   f.Unit,
			Source: f.Source,
			Holds:  f.Holds,
			N:      max(1, len(f.Values)),
			Note:   f.note(),
		}
		if f.Holds != nil && r.Seeds > 1 {
			j.Held = &f.Held
		}
		if few := f.asFew(); few != "" {
			j.Note += "; " + few
		}
		if f.Reference.List != nil {
			j.Expected, j.Low, j.High, j.Measured = f.Reference.List, f.Reference.List, f.Reference.List, f.Sample.List
			j.CI95 = []*float64{}
		} else {
			j.Expected, j.Low, j.High = format.Finite(f.Expected), format.Finite(f.Low), format.Finite(f.High)
			j.Measured = format.Finite(f.Estimate.Mean)
			j.CI95 = []*float64{format.Finite(f.Estimate.Low), format.Finite(f.Estimate.High)}
		}
		out.Findings = append(out.Findings, j)
	}
	return json.Marshal(out)
}

// WriteMarkdown writes the findings of several experiments as one table, with the notes on
// those that do not hold and the sources below it.
func WriteMarkdown(w io.Writer, results []*Result) {
	fmt.Fprintln(w, "| experiment | finding | reference | measured [95 % interval] | verdict |")
	fmt.Fprintln(w, "|---|---|---|---|---|")
	var notes []string
	for _, r := range results {
		for _, f := range r.Findings {
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", r.Experiment.Name, f.Key, f.words(), f.measured(),
				f.verdict(r.Seeds, &notes))
		}
	}
	for i, n := range notes {
		fmt.Fprintf(w, "\n[%d] %s\n", i+1, n)
	}
	fmt.Fprintf(w, "\nSources:\n\n")
	for _, r := range results {
		fmt.Fprintf(w, "- %s: %s\n", r.Experiment.Name, r.Experiment.Source)
	}
}

// note is why the reference is not judged, or why it does not hold.
func (f Finding) note() string {
	if f.explained() {
		return f.Differs
	}
	return f.Note
}

// asFew writes where the mean of as few runs lies, where that explains a difference.
func (f Finding) asFew() string {
	if f.Runs == 0 || !f.explained() {
		return ""
	}
	low, high := f.AsFew()
	return fmt.Sprintf("consistent with an average of %d runs: %s to %s", f.Runs, format.Number(low),
		format.Number(high))
}

// measured writes what was found with its interval.
func (f Finding) measured() string {
	switch {
	case f.Sample.List != nil:
		return list(f.Sample.List)
	case f.Choice != nil:
		return f.Choice.word(f.Estimate.Mean)
	case f.Estimate.High > f.Estimate.Low:
		return format.Number(f.Estimate.Mean) + " " + measure.Interval(f.Estimate, true)
	}
	return format.Number(f.Estimate.Mean)
}

// verdict writes whether the reference holds, and with how many seeds when there are several,
// with the number of its note in the list of notes.
func (f Finding) verdict(seeds int, notes *[]string) string {
	verdict := "not judged"
	if f.Holds != nil {
		verdict = map[bool]string{true: "holds", false: "outside the reference"}[*f.Holds]
	}
	if f.Holds != nil && seeds > 1 {
		verdict += fmt.Sprintf(", with %d of %d seeds", f.Held, seeds)
	}
	if few := f.asFew(); few != "" {
		verdict += " (" + few + ")"
	}
	if note := f.note(); note != "" {
		if !slices.Contains(*notes, note) {
			*notes = append(*notes, note)
		}
		verdict += fmt.Sprintf(" [%d]", slices.Index(*notes, note)+1)
	}
	return verdict
}
