// Package sweep runs a scenario at many points and keeps what came of it in a folder.
//
// A [Plan] says which points and how many replications; [Plan.Wants] is the one rule by which it is
// done: it hands out work, ends a sweep, resumes it, lets parts be merged and makes reports of
// unfinished sweeps say so. A [Sweep] writes the folder: a [Manifest], which describes the plan, and one
// row for each point and replication. The folder has one writer. Whole lines are appended and a torn
// last line is dropped, so that an interrupted sweep goes on and ends with the same bytes.
package sweep
