package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"stampede/scenario"
	"stampede/sim"
)

// Sweep plays a plan into a folder. Points that are done stay done: an
// interrupt, a kill or a full disk at any moment loses nothing that was
// finished, and a sweep that goes on ends with the same bytes.
type Sweep struct {
	Plan   *Plan
	Dir    string
	Jobs   int  // replications at a time; 0 means one for each core
	Resume bool // go on with a folder that holds the same plan
	// Progress, when set, is told after each replication how many are done and
	// how many there will be at least. It is called one call at a time.
	Progress func(done, total int)
}

// Outcome says how a sweep went.
type Outcome struct {
	Points, Rows int      // rows in the folder
	Failed       []string // points or replications that could not be played, the first twenty
	FailedCount  int
}

// Run plays what is not done yet. When the context ends it stops handing out
// replications, keeps those that finish, and returns the context's error.
func (s *Sweep) Run(ctx context.Context) (Outcome, error) {
	r := &sweeping{Sweep: s}
	if err := r.open(); err != nil {
		return Outcome{}, err
	}
	err := errors.Join(r.play(ctx), r.before.close())
	if r.failed != nil {
		err = r.failed // of writing: the disk is full, say
	}
	if err != nil {
		return r.outcome, errors.Join(err, r.results.file.Close())
	}
	return r.outcome, r.results.finish()
}

// sweeping is a sweep under way.
type sweeping struct {
	*Sweep
	results *results
	axes    []string
	metric  int // of the precision

	mu      sync.Mutex
	wake    *sync.Cond
	next    int        // the point to open next
	points  []*pointOf // open, in order; few
	before  before     // what a resumed folder holds
	rows    int
	total   int
	outcome Outcome
	failed  error
}

// progressOf is what is known of a point's replications.
type progressOf struct {
	have   map[int]float64 // the precision's metric by replication
	broken bool            // it cannot be built
}

// before reads back, point after point in their order, what a resumed folder held
// when it was opened, so that memory does not grow with it.
type before struct {
	rows *rowReader // of the precision's metric; nil when there is nothing more
	row  *Row       // read and not yet told
}

// of is what is known of a point. The points must be asked for in order.
func (b *before) of(point int) (progressOf, error) {
	p := progressOf{have: map[int]float64{}}
	for b.rows != nil {
		if b.row == nil {
			var err error
			if b.row, err = b.rows.next(); b.row == nil {
				return p, errors.Join(err, b.close())
			}
		}
		if b.row.Point > point {
			break
		}
		if b.row.Point == point {
			if b.row.Replication < 0 {
				p.broken = true
			} else if p.have[b.row.Replication] = math.NaN(); b.row.Values != nil {
				p.have[b.row.Replication] = b.row.Values[0]
			}
		}
		b.row = nil
	}
	return p, nil
}

func (b *before) close() error {
	if b.rows == nil {
		return nil
	}
	err := b.rows.file.Close()
	b.rows = nil
	return err
}

// pointOf is a point with replications to play.
type pointOf struct {
	progressOf
	index    int
	labels   []string
	scenario *scenario.Scenario
	warmup   sim.Time
	ready    bool // the scenario and its warm-up are there
	wave     int  // replications wanted so far
	handed   int  // replications handed out so far
	pending  int  // under way
}

// open makes or resumes the folder.
func (r *sweeping) open() error {
	r.wake = sync.NewCond(&r.mu)
	r.axes = r.Plan.Axes()
	if p := r.Plan.Precision; p.Metric != "" {
		if r.metric = Index(p.Metric); r.metric < 0 {
			return fmt.Errorf("no metric %q", p.Metric)
		}
	}
	manifest, err := r.Plan.Manifest()
	if err != nil {
		return err
	}
	text, err := manifest.encode()
	if err != nil {
		return err
	}
	for i := range r.Plan.Points() {
		if r.Plan.Shard.has(i) {
			r.total += r.Plan.Reps
			r.outcome.Points++
		}
	}
	used, err := inUse(r.Dir)
	if err != nil {
		return err
	}
	if used {
		if !r.Resume {
			return FolderError{fmt.Errorf("the folder %s is not empty; go on with it (--resume) or name another (--out)", r.Dir)}
		}
		old, err := ReadManifest(r.Dir)
		if err != nil {
			return FolderError{err}
		}
		differences, err := old.Differences(manifest)
		if err != nil {
			return err
		}
		if len(differences) > 0 {
			return FolderError{fmt.Errorf("the folder %s holds another sweep:\n  %s", r.Dir, strings.Join(differences[:min(len(differences), 12)], "\n  "))}
		}
		if left, err := filepath.Glob(filepath.Join(r.Dir, "."+resultsName+".*")); err == nil {
			for _, path := range left { // of a sort that was killed
				os.Remove(path)
			}
		}
		r.results, err = resumeResults(r.Dir, r.axes, func(row *Row) error {
			r.count(row)
			return nil
		})
		if err == nil {
			r.before.rows, err = openRows(r.results.path, r.axes, []int{r.metric})
		}
		return err
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	if err := writeWhole(filepath.Join(r.Dir, manifestName), text); err != nil {
		return err
	}
	r.results, err = createResults(r.Dir, r.axes)
	return err
}

func (r *sweeping) count(row *Row) {
	r.rows++
	r.outcome.Rows = r.rows
	if row.Reason != "" {
		if r.outcome.FailedCount++; len(r.outcome.Failed) < 20 {
			r.outcome.Failed = append(r.outcome.Failed, fmt.Sprintf("point %d (%s): %s", row.Point, strings.Join(row.Labels, ", "), row.Reason))
		}
	}
}

// play keeps every job busy until nothing is left.
func (r *sweeping) play(ctx context.Context) error {
	jobs := r.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	stop := context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.wake.Broadcast()
	})
	defer stop()
	var group sync.WaitGroup
	for range jobs {
		group.Go(func() {
			for {
				p, replication, ok := r.take(ctx, jobs)
				if !ok {
					return
				}
				if replication < 0 {
					r.build(ctx, p)
				} else {
					run, err := Replicator{}.one(p.scenario, p.warmup, replication)
					r.close(p, replication, run.Values, err)
				}
			}
		})
	}
	group.Wait()
	return ctx.Err()
}

// take hands out the next piece of work: a point to be built, as replication
// -1, or a replication. Few points are open at a time, so memory does not grow
// with their number.
func (r *sweeping) take(ctx context.Context, jobs int) (*pointOf, int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if ctx.Err() != nil || r.failed != nil {
			return nil, 0, false
		}
		for _, p := range r.points {
			for p.ready && p.handed < p.wave {
				p.handed++
				if _, have := p.have[p.handed-1]; !have {
					p.pending++
					return p, p.handed - 1, true
				}
			}
		}
		r.settle()
		if slices.ContainsFunc(r.points, func(p *pointOf) bool { return p.ready && p.handed < p.wave }) {
			continue
		}
		if r.next < r.Plan.Points() && len(r.points) <= 2*jobs {
			p := &pointOf{index: r.next, wave: r.Plan.Reps}
			r.next++
			if !r.Plan.Shard.has(p.index) {
				continue
			}
			if p.progressOf, r.failed = r.before.of(p.index); r.failed != nil {
				r.wake.Broadcast()
				return nil, 0, false
			}
			if p.broken {
				continue
			}
			r.points = append(r.points, p)
			return p, -1, true
		}
		if len(r.points) == 0 {
			return nil, 0, false
		}
		r.wake.Wait()
	}
}

// settle drops points that are done and widens those that are not precise
// enough: the decision rests on the first replications of the point alone.
func (r *sweeping) settle() {
	r.points = slices.DeleteFunc(r.points, func(p *pointOf) bool {
		if !p.ready || p.pending > 0 || p.handed < p.wave {
			return false
		}
		precision := r.Plan.Precision
		if precision.Metric == "" || p.wave >= precision.MaxReps {
			return true
		}
		values := make([]float64, 0, p.wave)
		for i := range p.wave {
			values = append(values, p.have[i])
		}
		e := EstimateOf(values, 0.95)
		if e.N == 0 || (e.N > 1 && e.Half() <= precision.Rel*math.Abs(e.Mean)) {
			return true
		}
		more := min(precision.MaxReps, p.wave+max(1, p.wave/2))
		r.total += more - p.wave
		p.wave = more
		return false
	})
}

// build makes the scenario of a point and finds its warm-up.
func (r *sweeping) build(ctx context.Context, p *pointOf) {
	labels, s, err := r.Plan.Point(p.index)
	var warmup sim.Time
	if err == nil {
		warmup, err = warmupOf(ctx, s)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.wake.Broadcast()
	p.labels = labels
	if err != nil {
		r.points = slices.DeleteFunc(r.points, func(q *pointOf) bool { return q == p })
		if ctx.Err() == nil {
			row := Row{Point: p.index, Replication: -1, Labels: labels, Reason: firstLine(err)}
			r.write(&row, row.append(nil))
		}
		return
	}
	p.scenario, p.warmup, p.ready = s, warmup, true
}

// close books a replication.
func (r *sweeping) close(p *pointOf, replication int, values []float64, err error) {
	row := Row{Point: p.index, Replication: replication, Labels: p.labels, Values: values}
	if err != nil {
		row.Values, row.Reason = nil, firstLine(err)
	}
	line := row.append(nil) // takes a while, so before the lock
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.wake.Broadcast()
	p.pending--
	p.have[replication] = math.NaN()
	if err == nil {
		p.have[replication] = values[r.metric]
	}
	r.write(&row, line)
}

// write appends the line of a row to the file.
func (r *sweeping) write(row *Row, line []byte) {
	if r.failed != nil {
		return
	}
	if _, r.failed = r.results.file.Write(line); r.failed != nil {
		return
	}
	r.count(row)
	if r.Progress != nil {
		r.Progress(r.rows, max(r.total, r.rows))
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// inUse reports whether a folder holds anything; what a kill left half-written
// has a name that begins with a dot and does not count.
func inUse(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }), nil
}

// writeWhole writes a file that comes to be whole or not at all.
func writeWhole(path string, text []byte) error {
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	if err := os.WriteFile(tmp, text, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
