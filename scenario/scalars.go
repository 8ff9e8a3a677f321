package scenario

import "reflect"

// scalar is how a value of a type is written: as text that matches, or as a number.
type scalar struct {
	pattern     string
	description string
	number      numeral
}

// numeral is which numbers of YAML a scalar can be.
type numeral uint8

const (
	noNumber numeral = iota
	zero             // the one number that needs no unit
	whole            // from 0
	positive         // a whole number from 1
	fraction         // a number from 0
	share            // 0 to 1
	status           // 300 to 599
)

// scalars are how values are written.
var scalars = map[reflect.Type]scalar{
	reflect.TypeFor[Span](): {
		`^(0|([0-9.]+(ns|us|µs|ms|s|m|h|d))+)$`,
		"A time with its unit, such as 500ms, 45s or 2d.",
		zero,
	},
	reflect.TypeFor[Timer](): {
		`^(none|unlimited|([0-9.]+(ns|us|µs|ms|s|m|h|d))+)$`,
		"A time with its unit, such as 45s; or none.",
		noNumber,
	},
	reflect.TypeFor[Places](): {`^[0-9._]+[kKMGB]?$`, "A whole number from 1.", positive},
	reflect.TypeFor[Warmup](): {
		`^(auto|0|([0-9.]+(ns|us|µs|ms|s|m|h|d))+)$`,
		"A time with its unit, or auto.",
		zero,
	},
	reflect.TypeFor[Over](): {
		`^[0-9._]+[kKMGB]?$|^([0-9.]+(ns|us|µs|ms|s|m|h|d))+$`,
		"A number of results, such as 100, or a time, such as 30s.",
		positive,
	},
	reflect.TypeFor[CooldownTime](): {
		`^(retry_after|([0-9.]+(ns|us|µs|ms|s|m|h|d))+)$`,
		"A time with its unit, or retry_after.",
		noNumber,
	},
	reflect.TypeFor[Status](): {
		`^([345][0-9][0-9]|[345][0-9][0-9]\.\.[345][0-9][0-9]|[345]xx)$`,
		"A status, a range such as 502..599, or a class such as 5xx.",
		status,
	},
	reflect.TypeFor[TimeOfDay](): {`^[0-2][0-9]:[0-5][0-9](Z|[+-][0-2][0-9]:[0-5][0-9])?$`,
		"A time of day, such as 08:30, or 00:00-08:00 with an offset from UTC.", noNumber},
	reflect.TypeFor[Moment](): {
		`^[0-9][-0-9a-zA-Z:+., /]*$`,
		"A date and time, such as 2026-06-01T12:00:00Z, or a time since the first call, such as 10m.",
		zero,
	},
	reflect.TypeFor[TimeZone](): {
		`^[A-Za-z0-9_+:/-]+$`,
		"A time zone, such as Europe/Berlin, UTC or +02:00.",
		noNumber,
	},
	reflect.TypeFor[Count]():  {`^[0-9._]+[kKMGB]?$`, "A whole number, such as 2000, 30k or 1.5M.", whole},
	reflect.TypeFor[Bytes]():  {`^[0-9._]+ ?([kMG]i?)?B$`, "A size with its unit, such as 32MB or 20MiB.", noNumber},
	reflect.TypeFor[Number](): {`^[0-9.eE+-]+[kKMGB]?$`, "A number from 0.", fraction},
	reflect.TypeFor[Share](): {
		`^[0-9.eE+-]+%?$`,
		"A share from 0 to 1, such as 0.05 or 5%.",
		share,
	},
	reflect.TypeFor[Bound](): {`^[0-9._]+[kKMGB]?$`, "A whole number from 1.", positive},
	reflect.TypeFor[Rate](): {
		`^\$?[0-9._]+[kKMGB]?(/.+)?$`,
		"An amount per time, such as 500/min or $10/10m.",
		fraction,
	},
	reflect.TypeFor[Portion](): {
		`^\$?[0-9._]+[kKMGB]?$`,
		"A whole number, such as 30k, or dollars, such as $5.",
		whole,
	},
	reflect.TypeFor[PerTime](): {`^[0-9.eE+-]+[kKM]?/.+$`, "A rate of arrivals, such as 2.5/s or 90/min.", noNumber},
	reflect.TypeFor[Level](): {
		`^[0-9.eE+-]+[kKMGB]?(/.+)?$`,
		"A number relative to the others, such as 120, or a rate such as 2/s.",
		fraction,
	},
	reflect.TypeFor[Hourly]():  {`^\$?[0-9.eE+-]+$`, "Dollars per hour, such as 98 or $98.", fraction},
	reflect.TypeFor[Dollars](): {`^\$?[0-9.eE+-]+$`, "US dollars per million tokens.", fraction},
	reflect.TypeFor[RetryOn](): {
		`^([345][0-9][0-9]|[345][0-9][0-9]\.\.[345][0-9][0-9]|[345]xx|timeout|connection|stream)$`,
		"A status, a class such as 5xx, timeout, connection or stream.",
		status,
	},
}
