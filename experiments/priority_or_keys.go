package experiments

var priorityOrKeys = Experiment{
	Name: "priority-or-keys",
	Question: "How long do online users wait beside a batch job: in one queue, in a queue with priorities, or with a " +
		"key for each?",
	Claim: "Separate keys are simpler than a priority queue of one's own. Both spare the users the job's queue; a " +
		"key takes its places from the other one even while it does not use them.",
	// One server of 8 places of 8 s, exponential, gives 1/s, and 24 workers keep it busy. Of 0.2/s online calls that
	// go first, W = 1/(1 - 0.2), as in M/M/1 between departures. In one queue a call finds 24 + 0.2 (W + 8) calls and
	// waits for all but seven to leave: W = 18.6/0.8. With four places, or eight, Erlang's C(4, 1.6) = 0.0907 and
	// C(8, 1.6) = 0.00027 give W = C/(c/8 - 0.2), 0.302 s and 0.0003 s, whose means vary too much for more than a
	// bound. The job gets 1 - 0.2 of one server, 4/8 or 8/8 of its own.
	Source: "practitioners' claim; M/M/c with and without priorities, the job's queue always full",
	Arms: []Arm{
		{"one_queue", nil},
		{"one_queue_batch", []string{"measure=batch"}},
		{"priority", []string{byPriority}},
		{"priority_batch", []string{byPriority, "measure=batch"}},
		{"half_a_key", halfAKey},
		{"half_a_key_batch", append([]string{"measure=batch"}, halfAKey...)},
		{"a_key_each", aKeyEach},
		{"a_key_each_batch", append([]string{"measure=batch"}, aKeyEach...)},
	},
	References: []Reference{
		printed("online_wait_one_queue_s", 23.25, 1, "s").of("one_queue", "gate_wait_s"),
		printed("online_wait_priority_s", 1.25, 2, "s").of("priority", "gate_wait_s"),
		atMost("online_wait_half_a_key_s", 0.4, "s").of("half_a_key", "gate_wait_s"),
		atMost("online_wait_a_key_each_s", 0.001, "s").of("a_key_each", "gate_wait_s"),
		printed("batch_per_min_one_queue", 48, 1, "calls/min").of("one_queue_batch", "goodput_per_min"),
		printed("batch_per_min_priority", 48, 1, "calls/min").of("priority_batch", "goodput_per_min"),
		printed("batch_per_min_half_a_key", 30, 1, "calls/min").of("half_a_key_batch", "goodput_per_min"),
		printed("batch_per_min_a_key_each", 60, 1, "calls/min").of("a_key_each_batch", "goodput_per_min"),
		exactly("refused_priority", 0, "attempts").of("priority", "attempts_throttled"),
	},
}

const byPriority = "policy.gate.order=priority"

// halfAKey splits the eight places, aKeyEach doubles them.
var (
	halfAKey = []string{"policy.gate={semaphore: 4}", "provider.limits=[{resource: concurrency, limit: 4, " +
		"keys: [online]}, {resource: concurrency, limit: 4, keys: [batch]}]"}
	aKeyEach = []string{"policy.gate={semaphore: 8}", "provider.limits=[{resource: concurrency, limit: 8, " +
		"keys: [online]}, {resource: concurrency, limit: 8, keys: [batch]}]"}
)
