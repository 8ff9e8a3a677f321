package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"stampede/internal/format"
)

// progress says on stderr how far a long command is: on a terminal a line that is drawn again ten
// times a second, after the first second; elsewhere a new line every ten seconds.
type progress struct {
	to       io.Writer
	terminal bool
	width    int
	what     string // is counted, in the plural

	mu    sync.Mutex
	began time.Time
	first int // done when it began
	count
	drawn bool // there is a line to erase

	stop    func() // ends the ticks
	stopped chan struct{}
}

// count is how many are done, and of how many.
type count struct {
	done, total int
	atLeast     bool // the total may grow
}

// How often progress is shown, and for how long a terminal shows none.
const (
	lineEvery  = 10 * time.Second
	drawEvery  = 100 * time.Millisecond
	drawnAfter = time.Second
)

func newProgress(stderr io.Writer, n count, what string) *progress {
	every := lineEvery
	p := &progress{to: stderr, what: what, began: time.Now(), first: n.done, count: n}
	if f := terminalOf(stderr); f != nil {
		p.to, p.terminal, p.width, every = f, true, columns(f), drawEvery
	}
	ticker := time.NewTicker(every)
	quit := make(chan struct{})
	p.stopped = make(chan struct{})
	p.stop = sync.OnceFunc(func() { ticker.Stop(); close(quit); <-p.stopped })
	go func() {
		defer close(p.stopped)
		for {
			select {
			case now := <-ticker.C:
				p.show(now)
			case <-quit:
				return
			}
		}
	}()
	return p
}

// add says that one more is done.
func (p *progress) add() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
}

// set says how many are done, and of how many.
func (p *progress) set(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
}

// show writes how far the command is. What cannot be written is no reason to stop.
func (p *progress) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.terminal:
		fmt.Fprintf(p.to, "%s\n", p.text(now))
	case now.Sub(p.began) >= drawnAfter:
		fmt.Fprintf(p.to, "\r%s\x1b[K", format.Cut(p.text(now), p.width-1))
		p.drawn = true
	}
}

// text is such as "120 of 5,760 replications, 12 s left".
func (p *progress) text(now time.Time) string {
	of, left := " of ", ""
	if p.atLeast {
		of, left = " of at least ", "at least "
	}
	counts := format.Thousands(p.done) + of + format.Thousands(p.total) + " " + p.what
	elapsed := now.Sub(p.began)
	if p.done <= p.first {
		return counts + ", " + roughly(elapsed) + " so far"
	}
	each := float64(elapsed) / float64(p.done-p.first)
	return counts + ", " + left + roughly(time.Duration(each*float64(p.total-p.done))) + " left"
}

// roughly writes a span as people wait for it: 12 s, 5 min, 2 h 10 min.
func roughly(d time.Duration) string {
	switch minutes := int(d.Round(time.Minute) / time.Minute); {
	case d < 90*time.Second:
		return fmt.Sprintf("%d s", d.Round(time.Second)/time.Second)
	case minutes < 90:
		return fmt.Sprintf("%d min", minutes)
	case minutes < 48*60:
		return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
	default:
		return fmt.Sprintf("%d days", (minutes+12*60)/(24*60))
	}
}

// erase takes the line away, so that something else can be printed; the next tick draws it again.
func (p *progress) erase() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.drawn = false
	}
}

// end takes the line away for good.
func (p *progress) end() {
	p.stop()
	p.erase()
}
