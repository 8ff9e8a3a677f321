package sweep

import (
	"strings"
	"testing"
)

// Environments of tasks as the engines set them. Slurm describes what was submitted: of --array=3,5 the task 3
// sees MIN=3, MAX=5, COUNT=2 and STEP=1.
func TestShardOfATask(t *testing.T) {
	slurm := func(id, first, last, count, step string) map[string]string {
		return map[string]string{
			"SLURM_ARRAY_TASK_ID":    id,
			"SLURM_ARRAY_TASK_MIN":   first,
			"SLURM_ARRAY_TASK_MAX":   last,
			"SLURM_ARRAY_TASK_COUNT": count,
			"SLURM_ARRAY_TASK_STEP":  step,
		}
	}
	aws := map[string]string{"AWS_BATCH_JOB_ARRAY_INDEX": "3", "AWS_BATCH_JOB_ARRAY_SIZE": "7"}
	kubernetes := map[string]string{"JOB_COMPLETION_INDEX": "3"}
	for _, c := range []struct {
		name, text string
		env        map[string]string
		want       Shard
		err        string
	}{
		{"none", "", nil, Shard{}, ""},
		{"written", "2/7", nil, Shard{Index: 2, Of: 7}, ""},
		{"written, whatever the environment says", "2/7", kubernetes, Shard{Index: 2, Of: 7}, ""},
		{"0", "0/7", nil, Shard{}, `found "0/7"; want I/N with 1 <= I <= N`},
		{"beyond", "8/7", nil, Shard{}, `found "8/7"`},
		{"no number of parts", "3", nil, Shard{}, `found "3"`},
		{"another word", "automatic/7", kubernetes, Shard{}, `found "automatic/7"; want I/N, auto/N`},

		{"Slurm, --array=0-6", "auto", slurm("3", "0", "6", "7", "1"), Shard{Index: 4, Of: 7}, ""},
		{"Slurm, --array=0-6%2, last", "auto", slurm("6", "0", "6", "7", "1"), Shard{Index: 7, Of: 7}, ""},
		{"Slurm, --array=1-7", "auto", slurm("3", "1", "7", "7", "1"), Shard{Index: 3, Of: 7}, ""},
		{"Slurm, --array=3,5 submitted again", "auto", slurm("3", "3", "5", "2", "1"), Shard{},
			"found 2 tasks from 3 to 5 in steps of 1; auto needs the complete array"},
		{"Slurm, --array=0,2", "auto", slurm("2", "0", "2", "2", "1"), Shard{}, "auto needs the complete array"},
		{"Slurm, --array=0-12:6", "auto", slurm("6", "0", "12", "3", "6"), Shard{},
			"in steps of 6; auto needs the complete array"},
		{"Slurm, --array=2-8", "auto", slurm("2", "2", "8", "7", "1"), Shard{}, "auto needs the complete array"},
		{"Slurm, --array=1 submitted again", "auto", slurm("1", "1", "1", "1", "1"), Shard{},
			"found 1 tasks from 1 to 1"},
		{"Slurm, without a count", "auto", map[string]string{"SLURM_ARRAY_TASK_ID": "3"}, Shard{},
			`found SLURM_ARRAY_TASK_COUNT=""; write auto/N`},

		{"Slurm, --array=0-6", "auto/7", slurm("3", "0", "6", "7", "1"), Shard{Index: 4, Of: 7}, ""},
		{"Slurm, --array=3,5 submitted again", "auto/7", slurm("3", "3", "5", "2", "1"), Shard{Index: 4, Of: 7},
			""},
		{"Slurm, --array=3,5 submitted again", "auto/7", slurm("5", "3", "5", "2", "1"), Shard{Index: 6, Of: 7},
			""},
		{"Slurm, --array=6 submitted again", "auto/7", slurm("6", "6", "6", "1", "1"), Shard{Index: 7, Of: 7},
			""},
		{"Slurm, --array=1-7, first", "auto/7", slurm("1", "1", "7", "7", "1"), Shard{},
			"for an array that starts at 1 write auto1/7"},
		{"Slurm, --array=1-7, last", "auto/7", slurm("7", "1", "7", "7", "1"), Shard{},
			"for an array that starts at 1 write auto1/7"},
		{"Slurm, --array=1-7", "auto1/7", slurm("1", "1", "7", "7", "1"), Shard{Index: 1, Of: 7}, ""},
		{"Slurm, --array=5,7 submitted again", "auto1/7", slurm("7", "5", "7", "2", "1"), Shard{Index: 7, Of: 7},
			""},
		{"Slurm, --array=0-6", "auto1/7", slurm("0", "0", "6", "7", "1"), Shard{},
			"auto1/7 uses the indices 1 to 7"},
		{"Slurm, beyond", "auto/7", slurm("9", "0", "9", "10", "1"), Shard{},
			"found SLURM_ARRAY_TASK_ID=9; auto/7 uses the indices 0 to 6"},
		{"Slurm, no number", "auto/x", slurm("1", "0", "6", "7", "1"), Shard{},
			`found "auto/x"; want the number of parts`},
		{"Slurm, no N", "auto1", slurm("1", "1", "7", "7", "1"), Shard{},
			`found "auto1"; want I/N, auto/N, auto1/N or auto`},

		{"AWS Batch", "auto", aws, Shard{Index: 4, Of: 7}, ""},
		{"AWS Batch", "auto/9", aws, Shard{Index: 4, Of: 9}, ""},
		{"AWS Batch, from 1", "auto1/7", aws, Shard{}, "AWS Batch counts from 0; write auto/7"},
		{"AWS Batch, without a size", "auto", map[string]string{"AWS_BATCH_JOB_ARRAY_INDEX": "3"}, Shard{},
			"with N from the array size"},
		{"AWS Batch, beyond its size", "auto",
			map[string]string{"AWS_BATCH_JOB_ARRAY_INDEX": "7", "AWS_BATCH_JOB_ARRAY_SIZE": "7"}, Shard{},
			"found AWS_BATCH_JOB_ARRAY_INDEX=7 and AWS_BATCH_JOB_ARRAY_SIZE=7"},

		{"Kubernetes", "auto/7", kubernetes, Shard{Index: 4, Of: 7}, ""},
		{"Kubernetes, the first", "auto/7", map[string]string{"JOB_COMPLETION_INDEX": "0"},
			Shard{Index: 1, Of: 7}, ""},
		{"Kubernetes", "auto", kubernetes, Shard{},
			"Kubernetes does not give the number of parts; write auto/N, with N from spec.completions"},
		{"Kubernetes, completions: 4", "auto/3", kubernetes, Shard{},
			"found JOB_COMPLETION_INDEX=3; auto/3 uses the indices 0 to 2"},

		{"nothing", "auto/7", nil, Shard{}, "found no index of a Slurm, AWS Batch or Kubernetes array"},
		{"no whole number", "auto/7", map[string]string{"JOB_COMPLETION_INDEX": "three"}, Shard{},
			`found JOB_COMPLETION_INDEX="three"`},
		{"outside of an array", "auto/7", map[string]string{"JOB_COMPLETION_INDEX": "-1"}, Shard{},
			`found JOB_COMPLETION_INDEX="-1"`},
		{"two engines", "auto/7", map[string]string{"JOB_COMPLETION_INDEX": "3", "SLURM_ARRAY_TASK_ID": "1"},
			Shard{}, "found SLURM_ARRAY_TASK_ID and JOB_COMPLETION_INDEX"},
	} {
		got, err := ParseShard(c.text, func(name string) string { return c.env[name] })
		if c.err == "" && (err != nil || got != c.want) {
			t.Errorf("%s, %q: %v, %v; want %v", c.name, c.text, got, err, c.want)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s, %q: %v, %v; want %q", c.name, c.text, got, err, c.err)
		}
	}
}
