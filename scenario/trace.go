package scenario

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"stampede/fleet"
	"stampede/sim"
	"stampede/suggest"
)

// ReadTrace reads recorded calls from CSV with a header: arrival times, sped
// up by a factor, from the first at 0, and token counts where columns for them
// are named. Times are dates with a time of day, with any number of digits
// behind the second and with or without a zone, or plain seconds; they must not
// fall. It reads at most so many calls, all for 0. The name is that of the file,
// for errors.
func ReadTrace(r io.Reader, name string, columns Columns, speed float64, calls int) (*fleet.Trace, error) {
	rows := csv.NewReader(r)
	rows.ReuseRecord = true
	header, err := rows.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("%s: the file is empty; want a header and a row for each call", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	known := append([]string(nil), header...)
	if columns.Time == "" {
		columns.Time = "TIMESTAMP"
	}
	index := map[string]int{}
	for what, column := range map[string]string{"time": columns.Time, "prompt_tokens": columns.PromptTokens, "output_tokens": columns.OutputTokens} {
		index[what] = -1
		for i, h := range known {
			if column != "" && h == column {
				index[what] = i
			}
		}
		if column != "" && index[what] < 0 {
			return nil, fmt.Errorf("%s: no column %q for %s; %s", name, column, what, suggest.Unknown(column, known))
		}
	}
	out := &fleet.Trace{Name: name}
	var began, last sim.Time
	var format string
	for calls == 0 || len(out.At) < calls {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fail := func(column, format string, args ...any) error {
			line, at := rows.FieldPos(index[column])
			return fmt.Errorf("%s:%d:%d: %s: %s", name, line, at, column, fmt.Sprintf(format, args...))
		}
		text := row[index["time"]]
		at, layout, err := parseInstant(text, format)
		if err != nil {
			return nil, fail("time", "found %q; %v", text, err)
		}
		if format = layout; len(out.At) == 0 {
			began, last = at, at
		}
		if at < last {
			return nil, fail("time", "found %q, earlier than the row before; want times that do not fall", text)
		}
		last = at
		out.At = append(out.At, sim.Nanoseconds(float64(at-began)/speed))
		for _, tokens := range []struct {
			what string
			to   *[]int32
		}{{"prompt_tokens", &out.Prompt}, {"output_tokens", &out.Output}} {
			i := index[tokens.what]
			if i < 0 {
				continue
			}
			n, err := strconv.ParseInt(strings.TrimSpace(row[i]), 10, 32)
			if err != nil || n < 0 {
				return nil, fail(tokens.what, "found %q; want a whole number from 0", row[i])
			}
			*tokens.to = append(*tokens.to, int32(n))
		}
	}
	if len(out.At) == 0 {
		return nil, fmt.Errorf("%s: no calls; want a row for each call under the header", name)
	}
	return out, nil
}

// layouts of instants; a fraction of a second is read after any of them.
var layouts = []string{time.DateTime, "2006-01-02 15:04:05Z07:00", time.RFC3339, "2006-01-02T15:04:05"}

const plainSeconds = "seconds"

// parseInstant reads an instant in the given layout, or finds out which.
func parseInstant(text, layout string) (sim.Time, string, error) {
	text = strings.TrimSpace(text)
	if layout == "" || layout == plainSeconds {
		if x, err := strconv.ParseFloat(text, 64); err == nil && x >= 0 && x <= 4e9 {
			return sim.Time(math.Round(x * 1e9)), plainSeconds, nil
		}
	}
	for _, l := range layouts {
		if layout != "" && layout != l {
			continue
		}
		if t, err := time.Parse(l, text); err == nil && t.Year() >= 1970 && t.Year() < 2200 {
			return sim.Time(t.UnixNano()), l, nil
		}
	}
	if layout != "" {
		return 0, "", errors.New("want a time written like that of the first row")
	}
	return 0, "", errors.New("want a date and time such as 2023-11-16 18:17:03.9799600, or seconds from 0")
}
