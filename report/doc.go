// Package report presents the results of runs and sweeps: the metrics of one run with their intervals
// ([Report]), and the points of a sweep beside each other ([Comparison]): the setting to ship and why
// ([Conclusion]), differences to a base paired by seed, the set that holds the best point, the frontier of cost,
// latency and success, what each axis does, and where goodput stops rising with the load ([KneeOf]). It writes
// text, Markdown, CSV and JSON, and simulates nothing.
package report
