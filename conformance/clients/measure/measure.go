// Package measure measures the waits of a Go client between its requests, in virtual time. It needs nothing but the
// standard library, since it is also compiled beside other versions of the clients.
package measure

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Reply is what every request of a call is answered with.
type Reply struct {
	Name   string            `json:"name"`
	Status int               `json:"status"` // 0: the connection is refused
	Header map[string]string `json:"headers"`
	Body   string            `json:"body"`
	Ahead  float64           `json:"ahead"` // not 0: a Retry-After with the date so many seconds ahead
}

// Ask sends one question over a transport.
type Ask func(context.Context, http.RoundTripper) error

// week bounds a call: the longest wait that a client is asked for is a day.
const week = 7 * 24 * time.Hour

// Waits are the seconds between the requests of one call, of which at most so many are looked at.
func Waits(t *testing.T, ask Ask, reply Reply, requests int) []float64 {
	waits := []float64{}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), week)
		defer cancel()
		var at []time.Time
		err := ask(ctx, scripted(func() (*http.Response, error) {
			at = append(at, time.Now())
			if len(at) == requests {
				cancel()
			}
			return reply.response()
		}))
		if err == nil || len(at) == 0 {
			t.Fatalf("%s: %d requests and the error %v; want an error", reply.Name, len(at), err)
		}
		for i := 1; i < len(at); i++ {
			waits = append(waits, at[i].Sub(at[i-1]).Seconds())
		}
	})
	return waits
}

// scripted is a transport that answers by itself.
type scripted func() (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (s scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	resp, err := s()
	if resp != nil {
		resp.Request = r
	}
	return resp, err
}

func (r Reply) response() (*http.Response, error) {
	if r.Status == 0 {
		return nil, syscall.ECONNREFUSED
	}
	header := http.Header{"Content-Type": {"application/json"}}
	for name, value := range r.Header {
		header.Set(name, value)
	}
	if r.Ahead != 0 {
		date := time.Now().Add(time.Duration(r.Ahead * float64(time.Second)))
		header.Set("Retry-After", date.UTC().Format(http.TimeFormat))
	}
	return &http.Response{
		StatusCode: r.Status, Status: http.StatusText(r.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(r.Body)), ContentLength: int64(len(r.Body)),
	}, nil
}

// Job is what a run of another version is asked for, in the file that the environment variable MEASURE names.
type Job struct {
	Replies         []Reply
	Seeds, Requests int
	Out             string // the file that the waits are written to
}

// Run does the job. It writes, for each reply, the waits of as many calls as there are seeds.
func Run(t *testing.T, ask Ask) {
	text, err := os.ReadFile(os.Getenv("MEASURE"))
	var job Job
	if err = errors.Join(err, json.Unmarshal(text, &job)); err != nil {
		t.Fatal(err)
	}
	out := map[string][][]float64{}
	for _, reply := range job.Replies {
		for range job.Seeds {
			out[reply.Name] = append(out[reply.Name], Waits(t, ask, reply, job.Requests))
		}
	}
	if text, err = json.Marshal(out); err == nil {
		err = os.WriteFile(job.Out, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
