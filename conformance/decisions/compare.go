package decisions

import (
	"fmt"
	"math"
	"time"

	"stampede/policy"
	"stampede/wire"
)

// Row is the replies on which the preset decides alike and so does the client, each decision in words.
type Row struct {
	Replies        []string
	Preset, Client string // the client's on the first of the replies
	Moved          bool
}

// Compare holds what was measured against the policy of a preset, in the order of Replies. Where the policy cannot
// say what a client does, treats names another reply that the client is known to treat a reply as.
func Compare(preset policy.Client, treats map[string]string, measured map[string]Decision) (rows []Row, err error) {
	for name, as := range treats {
		for _, name := range []string{name, as} {
			if _, ok := find(name); !ok {
				return nil, fmt.Errorf("found %q; no such reply", name)
			}
		}
	}
	type alike struct{ preset, client string }
	at := map[alike]int{}
	for _, r := range Replies {
		client, ok := measured[r.Name]
		if !ok {
			return nil, fmt.Errorf("%s: not measured", r.Name)
		}
		as := r
		if name, ok := treats[r.Name]; ok {
			as, _ = find(name)
		}
		want := Predicted(preset, as)
		row := Row{[]string{r.Name}, want.text(r), client.text(r), !want.Same(client)}
		key := alike{preset: row.Preset}
		if row.Moved {
			key.client = row.Client
		}
		if i, seen := at[key]; seen {
			rows[i].Replies = append(rows[i].Replies, r.Name)
			continue
		}
		at[key] = len(rows)
		rows = append(rows, row)
	}
	return rows, nil
}

// text is the decision in words; waits that are those asked for are said to be.
func (d Decision) text(to Reply) string {
	reply := to.At(time.Hour)
	asked, hinted := reply.RequestedWait(time.Hour, wire.Reads{Millis: true, Body: true})
	for _, w := range d.Waits {
		hinted = hinted && math.Abs(w[0]-asked.Seconds()) <= tolerance && math.Abs(w[1]-asked.Seconds()) <= tolerance
	}
	if hinted && len(d.Waits) > 0 {
		return fmt.Sprintf("%s, waits as asked", d.requests())
	}
	return d.String()
}

func find(name string) (Reply, bool) {
	for _, r := range Replies {
		if r.Name == name {
			return r, true
		}
	}
	return Reply{}, false
}
