package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a long command is, on stderr, when that is a terminal
// and the command takes longer than a second.
type progress struct {
	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	done  int
	total int
	timer *time.Timer
}

func newProgress(stderr io.Writer, total int, what string) *progress {
	p := &progress{total: total}
	if p, ok := stderr.(printable); ok { // the bar moves the cursor
		stderr = p.to
	}
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return p
	}
	p.timer = time.AfterFunc(time.Second, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.bar = progressbar.NewOptions(p.total, progressbar.OptionSetWriter(stderr),
			progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
		_ = p.bar.Set(p.done) // a terminal that cannot be written to is no reason to stop
	})
	return p
}

// add says that one more is done.
func (p *progress) add() { p.set(p.done+1, p.total) }

// set says how many are done, and of how many.
func (p *progress) set(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = done
	if p.bar != nil {
		if total != p.total {
			p.bar.ChangeMax(total)
		}
		_ = p.bar.Set(p.done)
	}
	p.total = total
}

// end takes the bar away.
func (p *progress) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
