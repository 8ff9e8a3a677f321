package dialect

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"stampede/internal/jsontext"
	"stampede/internal/words"
	"stampede/wire"
)

// failure is an error reply as its body and its message say it.
type failure struct {
	*format
	wire.Reply
	refusal Refusal       // the zero value when no limit refused
	limit   Limit         // that refused
	wait    time.Duration // that the body asks for
	asks    bool          // whether it asks for one
	exact   time.Duration // the wait before it was rounded for the body
	leaves  time.Time     // when the reply leaves
}

func newFailure(row *format, r wire.Reply, limit Limit, start time.Time, now time.Duration) *failure {
	f := &failure{format: row, Reply: r, limit: limit, leaves: start.Add(now)}
	if r.Over.Why > 0 && Reason(r.Over.Why) < reasons {
		f.refusal = *row.refuses(Reason(r.Over.Why))
	}
	f.wait, f.asks = r.Delay.Wait(now)
	f.exact = f.wait
	if row.printed != nil && row.printed(r.Over.Wait) == f.wait {
		f.exact = r.Over.Wait
	}
	return f
}

// template is a body whose {words} are replaced by JSON: {message}, {code}, {type}, {status}.
func template(body string) func(f *failure) string {
	return func(f *failure) string { return placeholder.Fill(body, f.value) }
}

var placeholder = words.Placeholder{Open: '{', Close: '}'}

// value is what a word of a body stands for, as JSON.
func (f *failure) value(word string) string {
	switch word {
	case "message":
		return jsontext.String(f.message())
	case "type":
		return jsontext.String(f.kind())
	case "status":
		return strconv.Itoa(f.Status)
	case "code":
		if f.Code == "" {
			return "null"
		}
		return jsontext.String(f.Code)
	case "code_or_status":
		return jsontext.String(cmp.Or(f.Code, strconv.Itoa(f.Status)))
	case "code_or_number":
		if f.Code == "" {
			return strconv.Itoa(f.Status)
		}
		return jsontext.String(f.Code)
	case "number": // the code, of those that are numbers
		if n, err := strconv.Atoi(f.Code); err == nil {
			return strconv.Itoa(n)
		}
		return "null"
	}
	panic("dialect: no word " + word + " of a body")
}

// message is the text of an error for people.
func (f *failure) message() string {
	text := f.refusal.text
	switch {
	case f.refusal.daily != "" && f.limit.Period >= day:
		text = f.refusal.daily
	case f.refusal.ofTokens != "" && f.unit() == "tokens":
		text = f.refusal.ofTokens
	}
	if text == "" {
		text = map[wire.Class]string{
			wire.Throttled:   "Rate limit reached.{hint}",
			wire.Overloaded:  "The server is overloaded.{hint}",
			wire.ServerError: "The server had an error.{hint}",
			wire.Terminal:    "The request cannot be served.{hint}",
		}[f.Class()]
	}
	return f.fill(text)
}

// fill replaces the {words} of a message.
func (f *failure) fill(text string) string {
	return placeholder.Fill(text, f.word)
}

// word is what a word of a message stands for.
func (f *failure) word(word string) string {
	short, long := period(f.limit.Period)
	switch word {
	case "hint":
		if !f.asks || f.wait < 0 || f.wait == 0 && f.exact == 0 {
			return ""
		}
		return f.fill(f.hint)
	case "wait":
		return f.wait.String()
	case "exact":
		return f.exact.String()
	case "seconds":
		return decimal(int64(upTo(f.wait, time.Second) / time.Second))
	case "code":
		return f.Code
	case "limit":
		return decimal(f.Over.Amount)
	case "limit_in_groups":
		return groups(f.Over.Amount)
	case "used":
		return decimal(f.Over.Used)
	case "used_with_it":
		return decimal(f.Over.Used + f.Over.Requested)
	case "requested":
		return decimal(f.Over.Requested)
	case "resource":
		return f.limit.Resource
	case "unit": // of whatever tokens
		return f.unit()
	case "capital_unit":
		return capital(f.unit())
	case "call": // or token
		if f.unit() == "requests" {
			return "call"
		}
		return "token"
	case "processed": // or sent
		if f.unit() == "requests" {
			return "sent"
		}
		return "processed"
	case "min":
		return short
	case "minute":
		return long
	case "per_day":
		if f.limit.Period >= day {
			return " per day"
		}
		return ""
	case "rpm": // RPM, TPD and so on
		initials := ""
		for _, part := range strings.Fields(f.limit.Resource) {
			initials += strings.ToUpper(part[:1])
		}
		return initials + "P" + strings.ToUpper(long[:1])
	case "model":
		if f.limit.Model == "" {
			return "model-simulated"
		}
		return f.limit.Model
	case "organization":
		return "org-simulated"
	}
	panic("dialect: no word " + word + " of a message")
}

// unit is what is counted: tokens of whatever kind, or requests.
func (f *failure) unit() string {
	if strings.HasSuffix(f.limit.Resource, "tokens") {
		return "tokens"
	}
	return f.limit.Resource
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// period is the word for a period, short and in full.
func period(d time.Duration) (short, long string) {
	switch d {
	case time.Second:
		return "sec", "second"
	case time.Minute, 0:
		return "min", "minute"
	case time.Hour:
		return "hour", "hour"
	case day:
		return "day", "day"
	case 30 * day:
		return "month", "month"
	}
	text := d.String()
	return text, text
}

// groups writes a number with commas.
func groups(n int64) string {
	text := decimal(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// kind is the error type of the body.
func (f *failure) kind() string {
	if f.refusal.kind != "" {
		return f.fill(f.refusal.kind)
	}
	if f.kindOf != nil {
		return f.kindOf(f)
	}
	return openaiType(f)
}

// seconds is a wait as a duration of Protocol Buffers in JSON.
func seconds(wait time.Duration) string {
	return strconv.FormatFloat(wait.Seconds(), 'f', -1, 64) + "s"
}
