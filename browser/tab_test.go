package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a tab may take to come to what a test waits for; a machine busy with other
// work needs many times what an idle one does.
const patience = 2 * time.Minute

// nap is a short wait between two looks at a page.
const nap = `new Promise(done => setTimeout(() => done(true), 20))`

// tab is one page in a browser profile of its own.
type tab struct {
	testing.TB
	ctx      context.Context
	errors   record // console errors, exceptions, and failed loads
	requests record // addresses, in order
}

// newTab opens an empty tab of 1280 x 800 pixels, which closes with the test. Unless the test takes
// them by takeErrors, console errors fail it.
func newTab(t testing.TB) *tab {
	t.Helper()
	p := &tab{TB: t}
	ctx, stop := chromedp.NewContext(browserContext(t), chromedp.WithNewBrowserContext(),
		chromedp.WithListener(p.listen))
	p.ctx = ctx
	t.Cleanup(func() {
		stop()
		for _, line := range p.takeErrors() {
			t.Errorf("in the console: %s", line)
		}
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	p.resize(1280, 800)
	return p
}

func (p *tab) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		switch e.Type {
		case runtime.ConsoleAPICalledTypeError, runtime.ConsoleAPICalledTypeWarning, runtime.ConsoleAPICalledTypeAssert:
			var words []string
			for _, a := range e.Args {
				words = append(words, a.Description+string(a.Value))
			}
			p.errors.add(fmt.Sprintf("console.%s: %s", e.Type, strings.Join(words, " ")))
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		p.errors.add("exception: " + text)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			p.errors.add(fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		p.requests.add(e.Request.URL)
	}
}

// takeErrors returns the errors so far and forgets them.
func (p *tab) takeErrors() []string {
	p.errors.mu.Lock()
	defer p.errors.mu.Unlock()
	lines := p.errors.lines
	p.errors.lines = nil
	return lines
}

// do runs actions in the tab, within its patience.
func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.Fatalf("%v; console: %q", err, p.errors.all())
	}
}

func (p *tab) open(address string) {
	p.Helper()
	p.do(chromedp.Navigate(address))
}

func (p *tab) resize(width, height int64) {
	p.Helper()
	p.do(chromedp.EmulateViewport(width, height))
}

// prefer emulates settings of the reader, as CSS media features: "prefers-color-scheme", "dark".
func (p *tab) prefer(pairs ...string) {
	p.Helper()
	var features []*emulation.MediaFeature
	for i := 0; i < len(pairs); i += 2 {
		features = append(features, &emulation.MediaFeature{Name: pairs[i], Value: pairs[i+1]})
	}
	params := emulation.SetEmulatedMediaParams{Features: features}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, params); err != nil {
		p.Fatal(err)
	}
}

// eval returns the value of an expression of JavaScript, of its promise where it is one.
func eval[T any](p *tab, expression string, args ...any) T {
	p.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	expression = quoted(p, expression, args...)
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %v; console: %q", expression, err, p.errors.all())
	}
	return value
}

// wait waits until an expression is true. It asks itself, since chromedp's Poll needs eval, which the
// security policy of the site forbids.
func (p *tab) wait(expression string, args ...any) {
	p.Helper()
	expression = quoted(p, expression, args...)
	limit := time.Now().Add(patience)
	for !eval[bool](p, "!!("+expression+")") {
		if time.Now().After(limit) {
			p.Fatalf("waited for %s; console: %q", expression, p.errors.all())
		}
		eval[bool](p, nap)
	}
}

// quoted replaces each %s of an expression by an argument as a literal of JavaScript.
func quoted(t testing.TB, expression string, args ...any) string {
	t.Helper()
	if len(args) == 0 {
		return expression
	}
	var literals []any
	for _, a := range args {
		literal, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		literals = append(literals, string(literal))
	}
	return fmt.Sprintf(expression, literals...)
}

// keys presses keys in the element that a CSS selector finds.
func (p *tab) keys(selector, keys string) {
	p.Helper()
	p.focus(selector)
	p.press(keys)
}

// press presses keys where the focus is.
func (p *tab) press(keys string) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys))
}

func (p *tab) focus(selector string) {
	p.Helper()
	found := eval[bool](p, `(() => {
		const e = document.querySelector(%s)
		e?.focus()
		return e !== null && document.activeElement === e
	})()`, selector)
	if !found {
		p.Fatalf("%s cannot be focused", selector)
	}
}

// until waits for something that the test itself sees.
func (p *tab) until(done func() bool) {
	p.Helper()
	limit := time.Now().Add(patience)
	for !done() {
		if time.Now().After(limit) {
			p.Fatal("what the test waits for did not happen")
		}
		eval[bool](p, nap)
	}
}
