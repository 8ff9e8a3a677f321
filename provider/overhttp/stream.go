package overhttp

import (
	"context"
	"io"
	"net/http"
	"time"

	"stampede/wire"
)

// stream is the body of an answer that comes piece by piece. The pieces are spread over the time
// that the answer takes; the last comes with its end, which the provider decides.
type stream struct {
	*Transport
	*exchange
	ctx     context.Context
	stop    func() bool // the watch over ctx
	text    string      // not yet read
	written int         // pieces
	err     error       // after the text
}

// maxPieces is the maximum number of pieces of a streamed answer.
const maxPieces = 20

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	for s.text == "" {
		if s.err != nil {
			return 0, s.err
		}
		s.await()
	}
	n := copy(p, s.text)
	s.text = s.text[n:]
	return n, nil
}

// Close implements io.Closer: the client leaves.
func (s *stream) Close() error {
	s.stop()
	s.leave(s.exchange)
	return nil
}

// pieces is how many pieces the answer has.
func (s *stream) pieces() int { return min(maxPieces, max(1, s.answer.words())) }

// await waits for the next piece, or for the end and with it the rest.
func (s *stream) await() {
	n := s.pieces()
	timed := n - 1
	if s.silent { // no end brings the last
		timed = n
	}
	if s.written < timed {
		due := s.first + s.span*time.Duration(s.written)/time.Duration(max(1, n-1))
		timer := time.NewTimer(time.Until(s.clock.at(due)))
		defer timer.Stop()
		select {
		case <-timer.C:
			s.write()
			return
		case <-s.over:
		}
	}
	<-s.over
	s.finish()
}

// write writes the next piece.
func (s *stream) write() {
	n, words := s.pieces(), s.answer.words()
	i := s.written
	s.text += s.ask.shape.chunk(&s.answer, text(words*(i+1)/n-words*i/n)+" ", i == 0)
	s.written++
}

// finish writes the rest, as far as the client gets it.
func (s *stream) finish() {
	s.stop()
	s.err = io.EOF
	if s.abandoned {
		if s.err = context.Cause(s.ctx); s.err == nil {
			s.err = http.ErrBodyReadAfterClose
		}
		return
	}
	for s.written < s.pieces() {
		s.write()
	}
	switch failure := s.result.Reply.Failure; failure {
	case wire.None:
		s.text += s.ask.shape.end(&s.answer, s.ask.withUsage)
	case wire.InStream:
		s.text += s.ask.shape.failure(s.result.Reply.Code)
	default:
		s.err = io.ErrUnexpectedEOF
	}
}
