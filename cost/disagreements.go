package cost

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
)

//go:embed disagreements.csv
var disagreements []byte

// Disagreements are prices of a model of the built-in list that price files have otherwise, each with the date and
// the name of its file. The model is named as the list has it.
func Disagreements(model string) []Price {
	all, err := readDisagreements(disagreements)
	if err != nil {
		panic(err) // the table is part of the program
	}
	return slices.DeleteFunc(all, func(p Price) bool { return p.Model != model })
}

func readDisagreements(text []byte) (out []Price, err error) {
	lines := csv.NewReader(bytes.NewReader(text))
	lines.Comment = '#'
	rows, err := lines.ReadAll()
	if err != nil {
		return nil, err
	}
	const head = "model,tier,input,cached,written,output,date,source"
	if len(rows) == 0 || strings.Join(rows[0], ",") != head {
		return nil, fmt.Errorf("disagreements: want a first row with the columns %s", head)
	}
	for i, row := range rows[1:] {
		var q Quote
		err := q.read([]string{row[2], row[3], row[4], "", row[5]})
		p := Price{Model: row[0], Date: row[6], Source: row[7]}
		if err == nil {
			err = p.Set(q)
		}
		if err == nil {
			err = checkDay(p.Date)
		}
		tier, ok := FindTier(row[1])
		if p.Tier = tier; err == nil && (!ok || !q.sold()) {
			err = fmt.Errorf("want a tier, the input and the output")
		}
		if err != nil {
			return nil, fmt.Errorf("disagreements: row %d: %s: %w", i+2, row[0], err)
		}
		out = append(out, p)
	}
	return out, nil
}
