package scenario

import (
	"fmt"

	"stampede/cost"
	"stampede/fleet"
)

// Files reads no files: a page has none. Without what reads them, the engine of a page is smaller by a tenth, and takes
// half the memory.
type Files struct{}

// fieldsText documents no field: the page's schema does.
var fieldsText = []byte("{}")

// Prices refuses a price file.
func (*Files) Prices(_, name, _ string) (cost.PriceList, error) {
	return cost.PriceList{}, noFile(name)
}

func (*Files) dated(cost.Price) {}

func (b *builder) traceFile(w *Workload) (*fleet.Trace, error) {
	return nil, b.errorf("workload.trace.file", "%v", noFile(w.Trace.File))
}

// ParseText implements strict.Texter. It takes any zone: the trace that it is for is refused.
func (z *TimeZone) ParseText(text string) error {
	*z = TimeZone(text)
	return nil
}

func (o *Options) path(name string) string { return name }

func noFile(name string) error {
	return fmt.Errorf("found %q; the page reads no files: run this scenario with the stampede command", name)
}
