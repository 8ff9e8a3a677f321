package scenario

// Pace spaces what an instance sends.
type Pace struct {
	Rate        PerTime   `yaml:"rate" none:"no bucket"`
	Burst       Number    `yaml:"burst" zero:"no"`
	AIMD        *PaceAIMD `yaml:"aimd" none:"a rate that stays"`
	Tokens      Rate      `yaml:"tokens" none:"no bucket"`
	TokensBurst Number    `yaml:"tokens_burst" zero:"no"`
	Estimate    Estimate  `yaml:"estimate"`
	Settle      bool      `yaml:"settle"`
	Headers     bool      `yaml:"headers"`
	Reserve     Share     `yaml:"reserve" none:"nothing"`
	Cubic       bool      `yaml:"cubic"`
	Scope       Scope     `yaml:"scope"`
	Wait        Span      `yaml:"wait" none:"no bound" unlimited:"no bound" zero:"no"`
}

// PaceAIMD is additive increase, multiplicative decrease of the rate.
type PaceAIMD struct {
	Start    PerTime `yaml:"start" zero:"no"`
	Min      PerTime `yaml:"min" zero:"no"`
	Max      PerTime `yaml:"max" none:"no maximum" unlimited:"no maximum" zero:"no"`
	Add      PerTime `yaml:"add" zero:"no"`
	Every    Span    `yaml:"every" default:"1s" none:"after each answer"`
	Cut      Share   `yaml:"cut" default:"50%" zero:"no"`
	Cooldown Span    `yaml:"cooldown" none:"no cooldown" zero:"no"`
}
