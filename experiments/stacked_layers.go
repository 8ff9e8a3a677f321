package experiments

var stackedLayers = Experiment{
	Name:     "stacked-layers",
	Question: "How many requests does one call make when every layer retries?",
	Claim: "Layers multiply: five retries around an SDK's two make 18; three layers of three 27, of four 64; five " +
		"layers of three 243; the OpenAI SDK in tenacity's three in Celery 36. One layer that owns the retries " +
		"makes 6.",
	Source: "practitioners' claim",
	Arms: []Arm{
		{"5_over_sdk2", nil},
		{"3x3x3", []string{"policy.outer_layers=[{retry: {attempts: 3}}, {retry: {attempts: 3}}]"}},
		{
			"4x4x4",
			[]string{"policy.retry.attempts=4",
				"policy.outer_layers=[{retry: {attempts: 4}}, {retry: {attempts: 4}}]"},
		},
		{
			"3_pow_5",
			[]string{
				"policy.outer_layers=[{retry: {attempts: 3}}, {retry: {attempts: 3}}, {retry: {attempts: 3}}, " +
					"{retry: {attempts: 3}}]",
			},
		},
		{
			"sdk_tenacity_celery", // of three, three and four attempts
			[]string{"policy=openai-python@2.52",
				"policy.outer_layers=[{preset: tenacity@9.1, retry: {attempts: 3}}, celery@5.6]"},
		},
		{"one_owner", []string{"policy.retry.attempts=6", "policy.outer_layers=[]"}},
	},
	References: []Reference{
		exactly("requests_5_over_sdk2", 18, "attempts").of("5_over_sdk2", "attempts_per_call"),
		exactly("requests_3x3x3", 27, "attempts").of("3x3x3", "attempts_per_call"),
		exactly("requests_4x4x4", 64, "attempts").of("4x4x4", "attempts_per_call"),
		exactly("requests_3_pow_5", 243, "attempts").of("3_pow_5", "attempts_per_call"),
		exactly("requests_sdk_tenacity_celery", 3*3*4, "attempts").of("sdk_tenacity_celery", "attempts_per_call"),
		exactly("requests_one_owner", 6, "attempts").of("one_owner", "attempts_per_call"),
	},
}
