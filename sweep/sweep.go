package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"stampede/internal/format"
	"stampede/measure"
	"stampede/scenario"
	"stampede/sim"
)

// Sweep runs a plan into a folder. Points that are done stay done: an
// interrupt, a kill or a full disk at any moment loses nothing that was
// finished, and a sweep that goes on ends with the same bytes.
type Sweep struct {
	Plan   *Plan
	Dir    string
	Jobs   int  // replications at a time; 0 means one for each core
	Resume bool // continue a folder that holds the same plan
	// Progress, when set, is called after each replication with how many are done and
	// how many there will be at least. It is called one call at a time.
	Progress func(done, total int)
}

// Outcome is the result of a sweep.
type Outcome struct {
	Points, Rows int      // rows in the folder
	Failed       []string // points or replications that could not be run, the first twenty by point
	FailedCount  int
}

// Run runs what is not done yet. When the context ends it stops handing out
// replications, keeps those that finish, and returns the context's error. A
// sweep is done when its rows are all that its plan wants.
func (s *Sweep) Run(ctx context.Context) (Outcome, error) {
	r := &sweeping{Sweep: s}
	err := r.open()
	if err == nil {
		err = errors.Join(r.work(ctx), r.before.close())
		if r.failed != nil {
			err = r.failed // of writing: the disk is full, say
		}
		if err != nil {
			err = errors.Join(err, r.results.stop())
		} else if err = r.results.finish(); err == nil {
			err = r.complete()
		}
	}
	if r.unlock != nil {
		err = errors.Join(err, r.unlock())
	}
	return r.outcome, err
}

// sweeping is a sweep under way.
type sweeping struct {
	*Sweep
	unlock   func() error // of the folder
	manifest *Manifest
	results  *results
	metric   int // of the precision
	ending   ending

	mu      sync.Mutex
	wake    *sync.Cond
	next    int          // the point to open next
	points  []*pointOf   // open, in order; few
	before  *pointReader // what a resumed folder holds
	rows    int
	total   int
	outcome Outcome
	broken  []int // the points of outcome.Failed
	failed  error
}

// pointOf is a point with replications to run.
type pointOf struct {
	Replications
	index    int
	labels   []string
	scenario *scenario.Scenario
	warmup   sim.Time
	limits   string // their names
	ready    bool   // the scenario and its warm-up are there
	planned  int    // replications counted in the total
	todo     []int  // replications to hand out
	pending  int    // under way
}

// open makes or resumes the folder.
func (r *sweeping) open() error {
	r.wake = sync.NewCond(&r.mu)
	r.before, r.ending = &pointReader{}, r.Plan.ending()
	if p := r.Plan.Precision; p.Metric != "" {
		var err error
		if r.metric, err = measure.Lookup(p.Metric); err != nil {
			return err
		}
	}
	if !r.Resume {
		if err := free(r.Dir, otherFolder); err != nil {
			return err
		}
	}
	var err error
	if r.manifest, err = r.Plan.Manifest(); err != nil {
		return err
	}
	for i := range r.Plan.Points() {
		if r.Plan.Shard.has(i) {
			r.total += r.Plan.Reps
			r.outcome.Points++
		}
	}
	if used, err := inUse(r.Dir); err != nil {
		return err
	} else if used {
		if _, err := ReadManifest(r.Dir); err != nil { // no lock is left in a folder of something else
			return err
		}
	} else if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	if r.unlock, err = lockFolder(r.Dir); err != nil {
		return err
	}
	used, err := inUse(r.Dir)
	if err != nil {
		return err
	}
	if !used {
		text, err := r.manifest.Encode()
		if err != nil {
			return err
		}
		if err := writeWhole(filepath.Join(r.Dir, ManifestName), text); err != nil {
			return err
		}
		r.results, err = createResults(r.Dir, r.Plan.Axes())
		return err
	}
	if !r.Resume {
		return free(r.Dir, otherFolder)
	}
	return r.resume()
}

// otherFolder says what to do about a folder that is not empty.
const otherFolder = "continue it (--resume) or name another (--out)"

// resume goes on with the folder of the same plan.
func (r *sweeping) resume() error {
	old, err := ReadManifest(r.Dir)
	if err != nil {
		return err
	}
	differences, err := old.Differences(r.manifest)
	if err != nil {
		return err
	}
	if len(differences) > 0 {
		shown := differences[:min(len(differences), 12)]
		return FolderErrorf("the folder %s holds another sweep:\n  %s", r.Dir, strings.Join(shown, "\n  "))
	}
	left, err := filepath.Glob(filepath.Join(r.Dir, "."+ResultsName+".*")) // of a sort that was killed
	if err := errors.Join(err, removeAll(left)); err != nil {
		return err
	}
	r.results, err = resumeResults(r.Dir, r.Plan.Axes(), func(row *Row) error {
		r.count(row)
		return nil
	})
	if err == nil {
		r.before, err = openPoints(r.results.path, r.Plan.Axes(), r.ending)
	}
	return err
}

// complete compares the rows with the plan.
func (r *sweeping) complete() error {
	lacks, err := r.manifest.Lacks(r.results.path)
	if err == nil && lacks.Replications > 0 {
		err = fmt.Errorf("the folder %s is missing %s of %s; continue it (--resume)",
			r.Dir, format.Plural(lacks.Replications, "replication"), format.Plural(lacks.Points, "point"))
	}
	return err
}

func (r *sweeping) count(row *Row) {
	r.rows++
	r.outcome.Rows = r.rows
	if row.Reason == "" {
		return
	}
	const most = 20
	r.outcome.FailedCount++
	text := fmt.Sprintf("point %d (%s): %s", row.Point, strings.Join(row.Labels, ", "), row.Reason)
	at, _ := slices.BinarySearch(r.broken, row.Point+1) // in order of points, whichever failed first
	r.broken = slices.Insert(r.broken, at, row.Point)
	r.outcome.Failed = slices.Insert(r.outcome.Failed, at, text)
	if len(r.broken) > most {
		r.broken, r.outcome.Failed = r.broken[:most], r.outcome.Failed[:most]
	}
}

// work keeps every job busy until nothing is left.
func (r *sweeping) work(ctx context.Context) error {
	jobs := measure.JobsFor(r.Jobs, r.total)
	stop := context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.wake.Broadcast()
	})
	defer stop()
	var group sync.WaitGroup
	for range jobs {
		group.Go(func() {
			replicator := measure.Replicator{}.Remembering()
			for {
				p, replication, ok := r.take(ctx, jobs)
				if !ok {
					return
				}
				if replication < 0 {
					r.build(ctx, p)
				} else {
					run, err := replicator.One(p.scenario, p.warmup, replication)
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
		r.settle()
		for _, p := range r.points {
			if p.ready && len(p.todo) > 0 {
				replication := p.todo[0]
				p.todo = p.todo[1:]
				p.pending++
				return p, replication, true
			}
		}
		if r.next < r.Plan.Points() && len(r.points) <= 2*jobs {
			p := &pointOf{index: r.next, planned: r.Plan.Reps}
			r.next++
			if !r.Plan.Shard.has(p.index) {
				continue
			}
			if p.Replications, r.failed = r.before.of(p.index); r.failed != nil {
				r.wake.Broadcast()
				return nil, 0, false
			}
			r.want(p)
			if len(p.todo) > 0 {
				r.points = append(r.points, p)
				return p, -1, true
			}
			continue
		}
		if len(r.points) == 0 {
			return nil, 0, false
		}
		r.wake.Wait()
	}
}

// want looks up which replications a point lacks.
func (r *sweeping) want(p *pointOf) {
	if p.todo = p.lack(r.ending); len(p.todo) == 0 && r.Plan.Abort && !p.broken { // it may have ended early
		r.total += len(p.values) - p.planned
		p.planned = len(p.values)
	}
	if more := len(p.values) + len(p.todo) - p.planned; more > 0 {
		r.total += more
		p.planned += more
	}
}

// settle drops points that are done and widens those that are not precise
// enough.
func (r *sweeping) settle() {
	r.points = slices.DeleteFunc(r.points, func(p *pointOf) bool {
		if !p.ready || p.pending > 0 || len(p.todo) > 0 {
			return false
		}
		r.want(p)
		return len(p.todo) == 0
	})
}

// build makes the scenario of a point and finds its warm-up.
func (r *sweeping) build(ctx context.Context, p *pointOf) {
	var warmup sim.Time
	var labels []string
	var s *scenario.Scenario
	err := measure.Guard(func() (err error) {
		if labels, s, err = r.Plan.Point(p.index); err == nil {
			warmup, err = measure.WarmupOf(ctx, s)
		}
		return err
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.wake.Broadcast()
	p.labels = labels
	if err != nil {
		r.points = slices.DeleteFunc(r.points, func(q *pointOf) bool { return q == p })
		if ctx.Err() == nil {
			row := Row{Point: p.index, Replication: -1, Labels: labels, Reason: firstLine(err)}
			r.write(&row, row.Append(nil))
		}
		return
	}
	p.scenario, p.warmup, p.limits, p.ready = s, warmup, measure.JoinLimits(measure.LimitNames(&s.Model)), true
}

// close books a replication.
func (r *sweeping) close(p *pointOf, replication int, values []float64, err error) {
	row := Row{Point: p.index, Replication: replication, Labels: p.labels, Values: values, Limits: p.limits}
	if err != nil {
		row.Values, row.Reason = nil, firstLine(err)
	}
	line := row.Append(nil) // takes a while, so before the lock
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.wake.Broadcast()
	p.pending--
	p.values[replication] = math.NaN()
	if err == nil {
		p.values[replication] = values[r.metric]
		if len(r.ending.goals) > 0 {
			p.goals[replication] = valuesOf(values, r.ending.goals)
		}
		p.random = p.random || values[measure.Index("random")] == 1
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
