package scenario

// Sessions are conversations: calls that follow each other.
type Sessions struct {
	Rate          PerTime    `yaml:"rate"`
	Users         Count      `yaml:"users"`
	Count         Count      `yaml:"count" unlimited:"until the horizon" zero:"no"`
	Turns         Law[Count] `yaml:"turns"`
	PromptStarts  Law[Count] `yaml:"prompt_starts"`
	PromptGrows   Law[Count] `yaml:"prompt_grows" none:"by what was said alone"`
	Think         Law[Span]  `yaml:"think" none:"no pause"`
	Context       Count      `yaml:"context" none:"no limit" unlimited:"no limit" zero:"no"`
	EndsOnFailure bool       `yaml:"ends_on_failure"`
}
