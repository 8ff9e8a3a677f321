//go:build !js

package scenario

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"stampede/fleet"
	"stampede/internal/trace"
)

// ReadTrace reads recorded calls from a file of any of the shapes that package internal/trace knows:
// arrival times, sped up by t.Speed, from t.From or the first at 0, and token counts where columns for them are
// found. Rows without output tokens are left out unless t says otherwise. It reads at most t.Calls
// calls, all for 0. The name is that of the file, for errors. Notes say what was guessed and what was
// left out.
func ReadTrace(r io.Reader, name string, t Trace) (calls *fleet.Trace, notes []string, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	read, err := trace.Read(data, name, t.options())
	if err != nil {
		return nil, nil, err
	}
	calls, err = t.replay(read, name)
	return calls, t.notes(read, name), err
}

// traceFile is the trace of a file that the document names.
func (b *builder) traceFile(w *Workload) (*fleet.Trace, error) {
	t := w.Trace
	path := b.options.path(t.File)
	data, err := b.options.Files.Read(path)
	if err != nil {
		return nil, b.errorf("workload.trace.file", "%v", err)
	}
	b.files = append(b.files, path)
	options := t.options()
	options.Given = [trace.Fields]bool{
		trace.Prompt: w.PromptTokens.set(), trace.Output: w.OutputTokens.set(), trace.MaxTokens: w.MaxTokens > 0,
		trace.Cached: w.CachedShare > 0, trace.Reasoning: w.Reasoning.set(),
	}
	if t.NoOutput == "draw" { // the laws are for rows without them
		options.Given[trace.Prompt], options.Given[trace.Output] = false, false
	}
	for _, f := range []trace.Field{trace.MaxTokens, trace.Cached, trace.Reasoning} {
		if column := options.Columns[f]; column != "" && options.Given[f] {
			field := map[trace.Field]string{trace.MaxTokens: "max_tokens", trace.Cached: "cached_share",
				trace.Reasoning: "reasoning_tokens"}[f]
			return nil, b.errorf("workload."+field,
				"found it, but the column %q records it for each call; want one of them", column)
		}
	}
	read, err := trace.Read(data, t.File, options)
	if err != nil {
		return nil, b.errorf("workload.trace", "%v", err)
	}
	calls, err := t.replay(read, t.File)
	if err != nil {
		return nil, b.errorf("workload.trace", "%v", err)
	}
	b.warnings = append(b.warnings, t.notes(read, t.File)...)
	return calls, nil
}

// columns are the names of the columns by field.
func (c *Columns) fields() [trace.Fields]string {
	return [trace.Fields]string{
		trace.Time: c.Time, trace.Prompt: c.PromptTokens, trace.Output: c.OutputTokens,
		trace.MaxTokens: c.MaxTokens, trace.Cached: c.Cached, trace.Reasoning: c.Reasoning,
		trace.Model: c.Model, trace.Key: c.Key, trace.Session: c.Session, trace.Priority: c.Priority,
		trace.Status: c.Status,
	}
}

var emptyOf = map[NoOutput]trace.Empty{"keep": trace.Keep, "draw": trace.Draw}

func (t *Trace) options() trace.Options {
	return trace.Options{
		Format: string(t.Format), Columns: t.Columns.fields(), Unit: unitOf[t.TimeUnit], Zone: t.TimeZone.zone(),
		Where: t.Where, From: t.From.moment(), To: t.To.moment(),
		SkipBad: t.BadRows == "skip", Empty: emptyOf[t.NoOutput], Calls: int(t.Calls),
	}
}

// ParseText implements strict.Texter.
func (z *TimeZone) ParseText(text string) error {
	_, err := trace.Zone(text)
	*z = TimeZone(text)
	return err
}

// zone is nil where none is set.
func (z TimeZone) zone() *time.Location {
	if z == "" {
		return nil
	}
	zone, _ := trace.Zone(string(z))
	return zone
}

// replay makes the arrivals of recorded calls.
func (t *Trace) replay(read *trace.Calls, name string) (*fleet.Trace, error) {
	out := &fleet.Trace{
		Name: name, At: read.At,
		Prompt: read.Values[trace.Prompt], Output: read.Values[trace.Output], MaxTokens: read.Values[trace.MaxTokens],
		Cached: read.Values[trace.Cached], Reasoning: read.Values[trace.Reasoning],
		Read: t.wasRead(read),
	}
	for i := range out.At {
		out.At[i] -= read.Read.Start
	}
	if err := t.repeat(out, read.Read.Window); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, at := range out.At {
		out.At[i] = t.replayed(at)
	}
	return out, nil
}

// notes say what was guessed and what was left out.
func (t *Trace) notes(calls *trace.Calls, name string) (notes []string) {
	read := &calls.Read
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if read.Guess != "" {
		span := read.Last - read.First
		add("the times of %s are taken as %s: %d calls over %v, %s/s; set workload.trace.time_unit if they are in "+
			"another unit", name, read.Guess, calls.Len(), Span(span.Round(time.Second)),
			number(float64(calls.Len())/max(span.Seconds(), 1e-9)))
	}
	if read.NoOutput > 0 {
		left := fmt.Sprintf("%d rows of %s have no output tokens, as failed requests have, and are ", read.NoOutput,
			name)
		switch t.NoOutput {
		case "keep":
			add("%sreplayed as answers of 0 tokens", left)
		case "draw":
			add("%sreplayed with lengths drawn from workload.prompt_tokens and workload.output_tokens", left)
		default:
			add("%sleft out; workload.trace.no_output: keep replays them as answers of 0 tokens", left)
		}
	}
	if read.Tries && read.NoOutput > 0 {
		add("a row of %s is an attempt, not a call: a call that was retried has several, and is replayed at the time "+
			"of the one that was answered", name)
	}
	if read.Late && read.NoOutput > 0 && emptyOf[t.NoOutput] != trace.Skip {
		add("rows of %s that failed have the time of the failure, not of the start; they are replayed at that time",
			name)
	}
	if read.Ties > calls.Len()/10 {
		add("the times of %s are whole seconds: %d of %d calls arrive at the time of the one before", name, read.Ties,
			calls.Len())
	}
	if read.Failed > 0 && len(t.Where) == 0 {
		output := "output tokens but "
		replayed := emptyOf[t.NoOutput] != trace.Skip
		if read.Columns[trace.Output] == "" || replayed && read.NoOutput >= read.Failed {
			output = "" // they are drawn, or missing in these rows as well
		}
		add("%d rows of %s have %sno success in the column %s, and are replayed; "+
			"workload.trace.where: {status: success} leaves them out", read.Failed, name, output,
			read.Columns[trace.Status])
	}
	if read.Unsorted > 0 {
		add("the rows of %s are not in the order of their times (%d are earlier than the one before); they were sorted",
			name, read.Unsorted)
	}
	if read.Bad > 0 {
		add("%d of %d rows of %s cannot be read and are left out; the first: %v", read.Bad, read.Rows, name,
			read.FirstBad)
	}
	dated := func(m Moment) bool { at := m.moment(); return !at.At.IsZero() && !at.Zoned }
	if t.TimeZone == "" && (read.Naive && read.Zoned || read.Naive && (t.From != "" || t.To != "") ||
		dated(t.From) || dated(t.To)) {
		add("times of %s without a zone are taken as UTC; set workload.trace.time_zone if they are in another", name)
	}
	for f, column := range t.Columns.fields() {
		switch trace.Field(f) {
		case trace.Model, trace.Key, trace.Session, trace.Priority:
			if column != "" {
				add("workload.trace.columns.%v is read, but the simulation does not use it: all calls of a fleet have "+
					"one model, key and priority; workload.trace.where selects the calls of one%s", trace.Field(f),
					valuesOf(calls.Names[f]))
			}
		}
	}
	return notes
}

// valuesOf lists a few names.
func valuesOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	shown := slices.Clone(names[:min(3, len(names))])
	for i, name := range shown {
		shown[i] = shorten(name)
	}
	more := ""
	if len(names) > len(shown) {
		more = ", ..."
	}
	return fmt.Sprintf(" (%d values: %s%s)", len(names), strings.Join(shown, ", "), more)
}

func shorten(name string) string {
	if len(name) > 40 {
		return name[:40] + "..."
	}
	return name
}

// wasRead says what was read of a file.
func (t *Trace) wasRead(calls *trace.Calls) string {
	read := &calls.Read
	layout := read.Layout
	if read.Format != "" {
		layout += " of the format " + read.Format
	}
	var columns []string
	for f, column := range read.Columns {
		if column == "" {
			continue
		}
		text := fmt.Sprintf("%v from %s", trace.Field(f), column)
		if trace.Field(f) == trace.Time {
			zone := ""
			switch {
			case read.Unit == "dates" && read.Naive:
				zone = " without a zone"
			case read.Unit == "dates":
				zone = " with a zone"
			}
			text += " (" + read.Unit + zone + ")"
		}
		columns = append(columns, text)
	}
	rows := plural(read.Rows, "row")
	without := read.NoOutput
	if t.NoOutput == "keep" || t.NoOutput == "draw" {
		without = 0
		if read.NoOutput > 0 {
			rows += fmt.Sprintf(" (%d without output tokens: %s)", read.NoOutput, t.NoOutput)
		}
	}
	var skipped []string
	for _, s := range []struct {
		n    int
		what string
	}{
		{without, "without output tokens"}, {read.Others, "that are no calls"}, {read.Unmet, "by where"},
		{read.Outside, "before from or after to"}, {read.Bad, "that cannot be read"},
	} {
		if s.n > 0 {
			skipped = append(skipped, fmt.Sprintf("%d %s", s.n, s.what))
		}
	}
	if len(skipped) > 0 {
		rows += ", skipped " + strings.Join(skipped, ", ")
	}
	from, to := read.Span()
	return fmt.Sprintf("%s; %s; %s; from %s to %s", layout, strings.Join(columns, ", "), rows, from, to)
}
