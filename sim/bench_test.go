package sim

import (
	"container/heap"
	"fmt"
	"math"
	"testing"
	"time"
)

var pendings = []int{1_000, 100_000, 1_000_000}

// increments are exponential with mean one second, drawn beforehand.
func increments() []Time {
	out := make([]Time, 1<<16)
	key := NewKey(1, 0)
	for i := range out {
		out[i] = Time(-math.Log(key.Uniform(uint64(i), 0)) * float64(time.Second))
	}
	return out
}

// BenchmarkHold is the hold model of Jones (1986): pop the earliest event, push
// it again an exponential increment later. One pop and push an operation.
func BenchmarkHold(b *testing.B) {
	steps := increments()
	for _, pending := range pendings {
		b.Run(fmt.Sprintf("pending=%d", pending), func(b *testing.B) {
			var l Loop[uint64]
			for i := range pending {
				l.At(steps[i&0xffff], uint64(i))
			}
			hold := func(n int) {
				for i := range n {
					e, _ := l.Next()
					l.At(l.Now()+steps[i&0xffff], e)
				}
			}
			hold(5 * pending)
			b.ReportAllocs()
			b.ResetTimer()
			hold(b.N)
		})
	}
}

type pointerHeap []*item[uint64]

func (h pointerHeap) Len() int           { return len(h) }
func (h pointerHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h pointerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *pointerHeap) Push(x any)        { *h = append(*h, x.(*item[uint64])) }
func (h *pointerHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// BenchmarkHoldContainerHeap is the yardstick: container/heap of pointers, each
// event newly made, as simulators built on it do.
func BenchmarkHoldContainerHeap(b *testing.B) {
	steps := increments()
	for _, pending := range pendings {
		b.Run(fmt.Sprintf("pending=%d", pending), func(b *testing.B) {
			var h pointerHeap
			for i := range pending {
				heap.Push(&h, &item[uint64]{at: steps[i&0xffff], event: uint64(i)})
			}
			hold := func(n int) {
				for i := range n {
					e := heap.Pop(&h).(*item[uint64])
					heap.Push(&h, &item[uint64]{at: e.at + steps[i&0xffff], event: e.event})
				}
			}
			hold(2 * pending)
			b.ReportAllocs()
			b.ResetTimer()
			hold(b.N)
		})
	}
}

// BenchmarkMM1 sends customers through one server at rho = 0.8: one customer
// an operation, which is two events, two keyed exponential draws and a queue.
func BenchmarkMM1(b *testing.B) {
	const arrival, departure = 0, 1
	var (
		loop     Loop[uint64]
		station  = Station[Time]{Servers: 1, Room: -1}
		gaps     = NewKey(1, 0).For(1)
		services = NewKey(1, 0).For(2)
		response Moments
		entered  Time // of the customer in service
		k        uint64
	)
	exp := func(u, mean float64) Time { return Time(-math.Log(u) * mean * float64(time.Second)) }
	serve := func(c Time) {
		entered = c
		loop.At(loop.Now()+exp(services.Uniform(k, 0), 0.1), departure)
		k++
	}
	b.ReportAllocs()
	loop.At(0, arrival)
	for arrived := 0; ; {
		event, ok := loop.Next()
		if !ok {
			break
		}
		now := loop.Now()
		if event == departure {
			response.Add((now - entered).Seconds())
			if c, started := station.Depart(); started {
				serve(c)
			}
			continue
		}
		if arrived++; arrived < b.N {
			loop.At(now+exp(gaps.Uniform(uint64(arrived), 0), 0.125), arrival)
		}
		if station.Arrive(now, 0) == Started {
			serve(now)
		}
	}
	b.ReportMetric(response.Mean(), "s-response")
}
