package provider

import (
	"fmt"
	"math"
	"time"

	"stampede/sim"
)

// Batching is a server that generates for all its streams at once, one token for
// each in every step, as vLLM does. A step takes longer the more streams there
// are:
//
//	step(n) = Step + n PerStream
//
// so that each stream slows down while all together get faster, up to 1/PerStream
// tokens per second. Prompts are read first, PerStep tokens of them in a step, all
// together and in the order in which they came; cached tokens need not be read. A
// request whose prompt has been read makes a token in each step.
//
// Assumptions: the streams of a batch move in step; steps are shared as finely as
// needed; a prompt that is read slows the others no more than an answer that is
// written, and a client that leaves meanwhile gives its share of reading not back; no
// stream is ever put back into the queue. The number of streams at once is
// Capacity.Slots.
type Batching struct {
	Step, PerStream time.Duration
	PerStep         int // tokens of prompts read in one step; 0 means that prompts take no step
}

// Describe says how fast it is.
func (b Batching) Describe() string {
	s := fmt.Sprintf("a batch whose step takes %v and %v more for each stream", b.Step, b.PerStream)
	if b.PerStep > 0 {
		s += fmt.Sprintf(", %d tokens of prompts a step", b.PerStep)
	}
	return s
}

// Streams is the length of a step with so many streams.
func (b Batching) Streams(n int) time.Duration {
	return sim.Nanoseconds(float64(b.Step) + float64(n)*float64(b.PerStream))
}

// Steps is how many steps it takes to read so many tokens of a prompt alone.
func (b Batching) Steps(prompt int) float64 {
	if b.PerStep == 0 {
		return 0
	}
	return float64(prompt) / float64(b.PerStep)
}

// oneStep is a step on the clock of a batch, which counts in billionths.
const oneStep = 1_000_000_000

// batch is a batch at work: a clock that counts steps and runs the slower the more
// streams there are. On it every stream has fixed marks, its first and its last
// token, whoever comes and goes meanwhile; only the next mark has an instant.
type batch struct {
	Batching
	clock   int64 // billionths of a step
	at      sim.Time
	streams []stream
	free    []uint32
	running int
	read    int64  // when, on the clock, all prompts that came have been read
	marks   []mark // a heap
}

// stream is one request in the batch.
type stream struct {
	token, generation  uint32
	begins, first, end int64 // on the clock
}

// mark is the first or the last token of a stream.
type mark struct {
	clock            int64
	slot, generation uint32
	last             bool
}

func (m mark) before(o mark) bool {
	if m.clock != o.clock {
		return m.clock < o.clock
	}
	if m.slot != o.slot {
		return m.slot < o.slot
	}
	return !m.last && o.last
}

func (b *batch) advance(now sim.Time) {
	if b.running > 0 {
		hi := float64(now-b.at) / float64(b.Streams(b.running)) * oneStep
		b.clock += int64(math.Round(hi))
	}
	b.at = now
}

// Join puts an admitted request into the batch, with the tokens of its answer that
// nobody sees and all of them. Its name is for Produced and Drop.
func (p *Provider) Join(now sim.Time, r *Request, slow float64, hidden, output int, token uint32) (name uint32) {
	b := &p.batch
	b.advance(now)
	if n := len(b.free); n > 0 {
		name = b.free[n-1]
		b.free = b.free[:n-1]
	} else {
		b.streams = append(b.streams, stream{})
		name = uint32(len(b.streams) - 1)
	}
	s := &b.streams[name]
	steps := func(n float64) int64 { return int64(min(n*oneStep*slow, 1<<60)) } // 1.2e9 steps
	b.read = max(b.read, b.clock) + steps(b.Steps(r.Prompt-r.Cached))
	s.token = token
	s.begins, s.end = b.read, b.read+steps(float64(output))
	s.first = min(b.read+steps(float64(hidden+1)), s.end)
	b.running++
	b.push(mark{s.first, name, s.generation, false})
	b.push(mark{s.end, name, s.generation, true})
	return name
}

// Drop takes a stream out of the batch before its end.
func (p *Provider) Drop(now sim.Time, name uint32) {
	p.batch.advance(now)
	p.batch.drop(name)
}

func (b *batch) drop(name uint32) {
	b.streams[name].generation++
	b.free = append(b.free, name)
	b.running--
}

// Produced is how many tokens of an answer of the given length the stream will have
// after a span, if nobody comes or goes meanwhile.
func (p *Provider) Produced(now sim.Time, name uint32, output int, span time.Duration) int {
	b := &p.batch
	b.advance(now)
	s := &b.streams[name]
	clock := b.clock + int64(float64(span)/float64(b.Streams(b.running))*oneStep)
	if clock <= s.begins || s.end == s.begins {
		return 0
	}
	return min(output, int(float64(output)*float64(clock-s.begins)/float64(s.end-s.begins)))
}

// NextMark is when the batch comes to the next first or last token of a stream, if
// nobody comes or goes meanwhile; Never when it is empty.
func (p *Provider) NextMark() sim.Time {
	b := &p.batch
	if b.clean(); len(b.marks) == 0 {
		return sim.Never
	}
	wait := float64(b.marks[0].clock-b.clock) * float64(b.Streams(b.running)) / oneStep
	return b.at + sim.Nanoseconds(math.Ceil(wait))
}

// Reached is the next stream whose first or last token is there by now. With its
// last token a stream leaves the batch.
func (p *Provider) Reached(now sim.Time) (token uint32, last, ok bool) {
	b := &p.batch
	due := p.NextMark() <= now
	b.advance(now)
	if !due {
		return 0, false, false
	}
	m := b.marks[0]
	b.clock = max(b.clock, m.clock)
	b.pop()
	token = b.streams[m.slot].token
	if m.last {
		b.drop(m.slot)
	}
	return token, m.last, true
}

// clean forgets marks of streams that left.
func (b *batch) clean() {
	for len(b.marks) > 0 && b.streams[b.marks[0].slot].generation != b.marks[0].generation {
		b.pop()
	}
}

func (b *batch) push(m mark) {
	b.marks = append(b.marks, m)
	i := len(b.marks) - 1
	for i > 0 && m.before(b.marks[(i-1)/2]) {
		b.marks[i] = b.marks[(i-1)/2]
		i = (i - 1) / 2
	}
	b.marks[i] = m
}

func (b *batch) pop() {
	n := len(b.marks) - 1
	m := b.marks[n]
	b.marks = b.marks[:n]
	if n == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && b.marks[child+1].before(b.marks[child]) {
			child++
		}
		if !b.marks[child].before(m) {
			break
		}
		b.marks[i] = b.marks[child]
		i = child
	}
	b.marks[i] = m
}
