package policy

import (
	"fmt"
	"strings"
	"time"

	"stampede/internal/words"
)

// Timeouts are the timers of one attempt; 0 means none. All run from the
// instant the attempt is sent, except Gap between chunks.
type Timeouts struct {
	Connect time.Duration // until the connection stands
	// Write bounds the sending of the request: what does not fit into [SendBuffer] is held up while nothing is
	// acknowledged.
	Write time.Duration
	// Pool bounds the wait for a connection, before the attempt is sent. What waits longer has timed out, and
	// the retry rule decides.
	Pool time.Duration
	// OS is when the operating system gives up a connection on which nothing is acknowledged: a connection
	// error, not a timeout of the client's. Linux does so after 924.6 s at the earliest,
	//
	//	0.2 (1 + 2 + ... + 512) + 6 x 120 s,
	//
	// its 15 retransmissions and the wait after the last (tcp_retries2, TCP_RTO_MIN and TCP_RTO_MAX of ip-sysctl).
	// A live provider that does not answer acknowledges.
	OS        time.Duration
	FirstByte time.Duration // until the first byte of the reply
	// of silence between chunks of a stream, and before the first byte where FirstByte is not set (a read timeout)
	Gap time.Duration
	// Attempt bounds the whole attempt. The n-th value is for the n-th attempt
	// of a call and the last for all later ones; empty means none.
	Attempt []time.Duration
	// Call bounds the whole call, all attempts and waits, from its start.
	Call time.Duration
}

// Timer names the timer that cut an attempt off. Its words are those of CSV.
type Timer uint8

const (
	NoTimer Timer = iota
	ConnectTimer
	FirstByteTimer
	GapTimer
	AttemptTimer
	CallTimer
	PatienceTimer // the caller's, not the client's
	EndOfRun      // nothing cut it off; the run ended
	HedgeTimer    // another attempt of the call was faster
	WriteTimer
	OSTimer // the operating system's, not the client's
)

// TimerWords are the words of timers.
var TimerWords = words.Table[Timer]{
	"", "connect", "first_byte", "gap", "attempt", "call", "patience", "end_of_run", "hedge",
	"write", "os",
}

// SendBuffer is how many tokens of a request fit into the buffer of a connection, so that they are written
// though nothing is acknowledged: 16 KiB, the least that Linux begins with (tcp_wmem of ip-sysctl), at 4 bytes a
// token.
const SendBuffer = 16 << 10 / 4

// String is the word for a timer, empty for none.
func (t Timer) String() string { return TimerWords.Word(t) }

// Whole is the bound of the whole attempt numbered n from 1; 0 means none.
func (t *Timeouts) Whole(n int) time.Duration {
	if len(t.Attempt) == 0 {
		return 0
	}
	return t.Attempt[min(n, len(t.Attempt))-1]
}

// BeforeFirstByte is the first timer to fire on an attempt numbered n of which
// nothing comes back, and the span after which it fires; NoTimer without one. Where it is not connected,
// nothing is acknowledged, and what counts is whether the request was written, into a buffer.
func (t *Timeouts) BeforeFirstByte(n int, connected, written bool) (Timer, time.Duration) {
	timer, span := NoTimer, time.Duration(0)
	if t.FirstByte == 0 && t.Gap == 0 && len(t.Attempt) == 0 && connected {
		return timer, span
	}
	first := func(name Timer, d time.Duration) {
		if d > 0 && (timer == NoTimer || d < span) {
			timer, span = name, d
		}
	}
	if !connected {
		first(ConnectTimer, t.Connect)
		if !written {
			first(WriteTimer, t.Write)
		}
		first(OSTimer, t.OS)
	}
	first(FirstByteTimer, t.FirstByte)
	if t.FirstByte == 0 {
		first(GapTimer, t.Gap)
	}
	first(AttemptTimer, t.Whole(n))
	return timer, span
}

// Describe lists the timers that are set.
func (t Timeouts) Describe() string {
	var parts []string
	for _, timer := range []struct {
		name string
		d    time.Duration
	}{{"connect", t.Connect}, {"write", t.Write}, {"pool", t.Pool}, {"first byte", t.FirstByte}, {"gap", t.Gap},
		{"call", t.Call}, {"os", t.OS}} {
		if timer.d > 0 {
			parts = append(parts, fmt.Sprintf("%s %v", timer.name, timer.d))
		}
	}
	if len(t.Attempt) > 0 {
		var each []string
		for _, d := range t.Attempt {
			if d == 0 {
				each = append(each, "none")
			} else {
				each = append(each, d.String())
			}
		}
		parts = append(parts, "attempt "+strings.Join(each, " then "))
	}
	if len(parts) == 0 {
		return ""
	}
	return "timeouts " + strings.Join(parts, " ")
}
