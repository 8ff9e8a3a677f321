package measure

import (
	"io"
	"strconv"
	"strings"
	"time"

	"stampede/cost"
	"stampede/fleet"
	"stampede/internal/format"
	"stampede/policy"
	"stampede/sim"
	"stampede/wire"
)

// CSV writes a row for each record of several replications, one after the
// other. Times are seconds with nine digits, money dollars with nine digits;
// both are exact. A field that does not apply is empty.
type CSV struct {
	Model                  *fleet.Model // whose records they are
	Calls, Attempts        io.Writer    // each may be nil
	sessions, kinds, pools bool         // has its model
	err                    error
	row                    []byte
}

// Err is the first error of writing.
func (c *CSV) Err() error { return c.err }

// WriteHeaders writes the names of the columns.
func (c *CSV) WriteHeaders() {
	c.row = append(
		c.row[:0],
		"replication,fleet,call,instance,arrived_s,began_s,ended_s,latency_s,outcome,attempts,"+
			"deliveries,prompt_tokens,cached_tokens,output_tokens,reasoning_tokens,max_tokens,target,"+
			"repeated_tokens,acts"...)
	for w := range fleet.PoolWait {
		c.row = append(c.row, ("," + w.String() + "_wait_s")...)
	}
	c.row = append(c.row, ",usd_useful"...)
	for cause := range cost.Cause(cost.Causes) {
		c.row = append(c.row, (",usd_wasted_" + cause.String())...)
	}
	if c.sessions = c.Model.HasSessions(); c.sessions {
		c.row = append(c.row, ",session,turn"...)
	}
	if c.kinds = c.Model.HasKinds(); c.kinds {
		c.row = append(c.row, ",kind"...)
	}
	if c.pools = c.Model.HasPools(); c.pools {
		c.row = append(c.row, ",pool_wait_s"...)
	}
	c.flush(c.Calls)
	c.row = append(
		c.row[:0],
		"replication,fleet,call,attempt,delivery,instance,target,hedge,sent_s,received_s,first_token_s,"+
			"ended_s,class,status,code,limit,cut_by,retry_after_s,prompt_tokens,cached_tokens,"+
			"written_tokens,output_tokens,reasoning_tokens,usd,wasted_by,charged_tokens,settled_tokens,"+
			"refunded_tokens,in_flight,next,wait_s,wait_kind"...)
	c.flush(c.Attempts)
}

// Of is the listener for one replication.
func (c *CSV) Of(replication int) fleet.Listener { return csvRun{c, replication} }

type csvRun struct {
	*CSV
	replication int
}

func (c csvRun) Call(r *fleet.Call) {
	if c.Calls == nil {
		return
	}
	c.start(c.replication)
	c.integer(int64(r.Fleet))
	c.integer(int64(r.ID))
	c.integer(int64(r.Instance))
	c.nano(int64(r.Arrived))
	c.nano(int64(r.Began))
	c.nano(int64(r.Ended))
	c.nano(int64(r.Latency()))
	c.text(r.Outcome.String())
	for _, n := range []int32{r.Attempts, r.Deliveries, r.Size.Prompt, r.Size.Cached, r.Size.Output, r.Size.Reasoning,
		r.Size.MaxTokens} {
		c.integer(int64(n))
	}
	c.integer(int64(r.Target))
	c.integer(r.Repeated)
	c.integer(int64(r.Acts))
	for _, d := range r.Waits[:fleet.PoolWait] {
		c.nano(int64(d))
	}
	c.nano(int64(r.Useful))
	for _, m := range r.Waste {
		c.nano(int64(m))
	}
	switch {
	case r.Turn > 0:
		c.integer(int64(r.Session))
		c.integer(int64(r.Turn))
	case c.sessions: // another fleet has
		c.text("")
		c.text("")
	}
	if c.kinds {
		c.text(c.Model.Fleets()[r.Fleet].Workload.KindName(r.Kind))
	}
	if c.pools {
		c.nano(int64(r.Waits[fleet.PoolWait]))
	}
	c.flush(c.Calls)
}

func (c csvRun) Attempt(r *fleet.Attempt) {
	if c.Attempts == nil {
		return
	}
	c.start(c.replication)
	c.integer(int64(r.Fleet))
	c.integer(int64(r.Call))
	c.integer(int64(r.Number))
	c.integer(int64(r.Delivery))
	c.integer(int64(r.Instance))
	c.integer(int64(r.Target))
	if r.Hedge {
		c.text("hedge")
	} else {
		c.text("")
	}
	c.nano(int64(r.Sent))
	c.instant(r.Received)
	c.instant(r.First)
	c.nano(int64(r.Ended))
	c.text(r.Class().String())
	if r.Reply.Status > 0 {
		c.integer(int64(r.Reply.Status))
	} else {
		c.text("")
	}
	c.text(r.Reply.Code)
	c.text(c.Model.RefusedBy(r))
	c.text(r.Cut.String())
	if wait, ok := r.Reply.RequestedWait(r.Ended, wire.Reads{Millis: true, Body: true}); ok {
		c.nano(int64(wait))
	} else {
		c.text("")
	}
	c.integer(int64(r.Usage.Prompt))
	c.integer(int64(r.Usage.Cached))
	c.integer(int64(r.Usage.Written))
	c.integer(int64(r.Usage.Output))
	c.integer(int64(r.Usage.Reasoning))
	c.nano(int64(r.Bill))
	if r.Waste && r.Bill > 0 {
		c.text(r.Cause.String())
	} else {
		c.text("")
	}
	c.integer(r.Charged)
	c.integer(r.Settled)
	c.integer(r.Refunded)
	c.integer(int64(r.InFlight))
	switch {
	case r.Decision.Again:
		c.text("retry")
		c.nano(int64(r.Decision.Wait))
		if r.Decision.Hinted {
			c.text("retry_after")
		} else {
			c.text("backoff")
		}
	case r.Class() == wire.OK:
		c.text("answered")
		c.text("")
		c.text("")
	case r.Decision.Outcome == policy.OthersDecide || r.Cut == policy.HedgeTimer:
		c.text(policy.OthersDecide.String())
		c.text("")
		c.text("")
	case r.Cut == policy.PatienceTimer:
		c.text(policy.Abandoned.String())
		c.text("")
		c.text("")
	case r.Cut == policy.EndOfRun:
		c.text(policy.Unfinished.String())
		c.text("")
		c.text("")
	default:
		c.text(r.Decision.Outcome.String())
		c.text("")
		c.text("")
	}
	c.flush(c.Attempts)
}

func (c *CSV) start(replication int) {
	c.row = strconv.AppendInt(c.row[:0], int64(replication), 10)
}

// text and integer are not inlined: a row has dozens of them, and no loop around them is hot.
//
//go:noinline
func (c *CSV) text(s string) { c.row = AppendField(append(c.row, ','), s) }

// AppendField appends a text as a field of CSV, quoted where it must be.
func AppendField(row []byte, s string) []byte {
	s = format.Cell(s)
	if !strings.ContainsAny(s, ",\"\r\n") {
		return append(row, s...)
	}
	return append(append(append(row, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}

//go:noinline
func (c *CSV) integer(n int64) { c.row = strconv.AppendInt(append(c.row, ','), n, 10) }

// nano writes an integer of 1e-9 as a decimal without trailing zeros.
func (c *CSV) nano(n int64) {
	c.row = append(c.row, ',')
	if n < 0 {
		c.row = append(c.row, '-')
		n = -n
	}
	c.row = strconv.AppendInt(c.row, n/int64(time.Second), 10)
	rest := n % int64(time.Second)
	if rest == 0 {
		return
	}
	var digits [9]byte
	for i := 8; i >= 0; i-- {
		digits[i] = byte('0' + rest%10)
		rest /= 10
	}
	end := 9
	for digits[end-1] == '0' {
		end--
	}
	c.row = append(append(c.row, '.'), digits[:end]...)
}

func (c *CSV) instant(t sim.Time) {
	if t < 0 {
		c.text("")
		return
	}
	c.nano(int64(t))
}

func (c *CSV) flush(w io.Writer) {
	if w == nil || c.err != nil {
		return
	}
	c.row = append(c.row, '\n')
	_, c.err = w.Write(c.row)
}
