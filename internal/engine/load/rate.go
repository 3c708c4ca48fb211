package load

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rateOption is the rate of a run. Its zero value means no rate: virtual users begin a transaction as
// soon as they are free.
type rateOption struct {
	profile Profile    // nil if there is no rate, or one for each kind
	file    string     // file with the rate; "" if the option contains the rate
	kinds   []kindRate // in the order of the option
}

// kindRate is the rate of one kind of transaction.
type kindRate struct {
	kind string // as in the option
	rateOption
}

// none is the text of a rateOption without a rate.
const none = "none"

// forms are the ways to write a rate over time: a word, a colon and parameters. Their characters
// have no special meaning in a shell or in Tcl.
var forms = []form{
	{"ramp", "100/s,1000/s,60s", newRamp},
	{"steps", "0s=100/s,30s=500/s", newStepped},
	{"sine", "500/s,300/s,60s", newSine},
	{"points", "0s=100/s,60s=500/s", newPoints},
	{inFile, "rates.csv", readPoints},
}

const inFile = "file"

type form struct {
	word, example string
	parse         func(text string) (Profile, error)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *rateOption) UnmarshalText(text []byte) error {
	read := rateOption{}
	if string(text) != none {
		var err error
		if read, err = parseTarget(string(text)); err != nil {
			return err
		}
	}
	*t = read
	return nil
}

func parseTarget(text string) (rateOption, error) {
	if parts := splitKinds(text); parts != nil {
		return parseKinds(parts)
	}
	read, err := parseProfile(text)
	if err == nil && read.profile.When(0) == Never {
		err = fmt.Errorf("%s is never more than 0, so no transaction would start: to run without a rate, set it to %s", text, none)
	}
	return read, err
}

// kindsExample shows the syntax for rates of kinds.
const kindsExample = "new_order=100/s,payment=200/s"

// startOfKind matches the start of another kind's rate: a word and =. Within a rate, only times
// precede =, and they begin with a digit.
var startOfKind = regexp.MustCompile(`(?:^|,)\s*[A-Za-z][\w -]*=`)

// splitKinds splits rates of kinds into parts such as payment=200/s. It returns nil if the text is
// one rate.
func splitKinds(text string) []string {
	starts := startOfKind.FindAllStringIndex(text, -1)
	if starts == nil || starts[0][0] != 0 {
		return nil
	}
	var parts []string
	for i, start := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		parts = append(parts, strings.TrimPrefix(text[start[0]:end], ","))
	}
	return parts
}

// parseKinds parses the rates of kinds of transaction. It does not know which kinds exist.
func parseKinds(parts []string) (rateOption, error) {
	var read rateOption
	if len(parts) > mostSources {
		return read, fmt.Errorf("it has the rates of more than %d kinds", mostSources)
	}
	for _, part := range parts {
		kind, text, _ := strings.Cut(part, "=")
		kind = strings.TrimSpace(kind)
		each, err := parseProfile(text)
		if err != nil {
			return rateOption{}, fmt.Errorf("%s: %w (rates of kinds are written as %s)", kind, err, kindsExample)
		}
		if each.profile.When(0) == Never {
			return rateOption{}, fmt.Errorf("%s: %s is never more than 0: leave it out", kind, text)
		}
		read.kinds = append(read.kinds, kindRate{strings.ReplaceAll(kind, " ", "_"), each})
	}
	return read, nil
}

// parseProfile parses one rate over time.
func parseProfile(text string) (rateOption, error) {
	word, rest, over := strings.Cut(text, ":")
	if !over {
		p, err := newConstant(text)
		if err != nil {
			return rateOption{}, fmt.Errorf("%w (a rate over time is written as %s)", err, examples())
		}
		return rateOption{profile: p}, nil
	}
	i := slices.IndexFunc(forms, func(f form) bool { return f.word == word })
	if i < 0 {
		return rateOption{}, fmt.Errorf("%q is not a form of a rate over time, which is written as %s", word, examples())
	}
	p, err := forms[i].parse(rest)
	if err != nil {
		if word == inFile {
			return rateOption{}, err // the error names the file
		}
		return rateOption{}, fmt.Errorf("%w (it is written as %s:%s)", err, word, forms[i].example)
	}
	read := rateOption{profile: p}
	if word == inFile {
		read.file = rest
	}
	return read, nil
}

// examples lists the forms.
func examples() string {
	var list []string
	for _, f := range forms {
		list = append(list, f.word+":"+f.example)
	}
	return strings.Join(list, " or ")
}

// MarshalText implements encoding.TextMarshaler.
func (t rateOption) MarshalText() ([]byte, error) {
	switch {
	case t.kinds != nil:
		return []byte(t.spellKinds(func(k rateOption) string { text, _ := k.MarshalText(); return string(text) })), nil
	case t.profile == nil:
		return []byte(none), nil
	case t.file != "":
		return []byte(inFile + ":" + t.file), nil
	}
	return []byte(t.profile.String()), nil
}

// Kind returns the name of the type for people.
func (rateOption) Kind() string { return "rate" }

// In implements option.Placed.
func (t rateOption) In(folder, text string) string {
	if parts := splitKinds(text); parts != nil {
		for i, part := range parts {
			kind, rate, _ := strings.Cut(part, "=")
			parts[i] = kind + "=" + t.In(folder, rate)
		}
		return strings.Join(parts, ",")
	}
	path, is := strings.CutPrefix(text, inFile+":")
	if !is || filepath.IsAbs(path) {
		return text
	}
	return inFile + ":" + filepath.Join(folder, path)
}

// Settled implements option.Relative. It returns the content of the file, because the file may
// change before the next run.
func (t rateOption) Settled() string {
	if slices.ContainsFunc(t.kinds, func(k kindRate) bool { return k.file != "" }) {
		return t.spellKinds(func(k rateOption) string { return k.profile.String() })
	}
	if t.file == "" {
		return ""
	}
	return t.profile.String()
}

// spellKinds formats the rates of kinds, each with spell.
func (t rateOption) spellKinds(spell func(rateOption) string) string {
	parts := make([]string, len(t.kinds))
	for i, k := range t.kinds {
		parts[i] = k.kind + "=" + spell(k.rateOption)
	}
	return strings.Join(parts, ",")
}

func (t rateOption) none() bool { return t.profile == nil && t.kinds == nil }

// profiles returns one profile per kind, or one for all transactions together.
func (t rateOption) profiles() []Profile {
	if t.kinds == nil {
		return []Profile{t.profile}
	}
	var list []Profile
	for _, k := range t.kinds {
		list = append(list, k.profile)
	}
	return list
}

// Limits of rates in arrivals per second, of times, and of the number of rates and times in a
// profile.
const (
	slowest     = 1e-6 // one arrival in twelve days
	fastest     = 10e6 // reading a clock takes about as long as the gap
	longest     = 1e6 * time.Minute
	mostMoments = 10_000
)

// units are the units of a rate in seconds. The first word of each is written; all are accepted.
var units = []unit{
	{1, []string{"s", "sec", "second"}},
	{60, []string{"min", "m", "minute"}},
	{3600, []string{"h", "hour"}},
}

type unit struct {
	seconds float64
	words   []string
}

// parseRate parses a rate such as 500, 500/s or 30000/min.
func parseRate(text string) (float64, error) {
	text = strings.TrimSpace(text)
	number, word, has := strings.Cut(text, "/")
	if !has {
		word = units[0].words[0]
	}
	n, err := strconv.ParseFloat(number, 64)
	i := slices.IndexFunc(units, func(u unit) bool { return slices.Contains(u.words, word) })
	if err != nil || i < 0 {
		return 0, fmt.Errorf("%q is not a rate such as 500/s, 30000/min or 500, which is 500/s", text)
	}
	rate := n / units[i].seconds
	if rate != 0 && !(rate >= slowest && rate <= fastest) { // refuses NaN, too
		return 0, fmt.Errorf("%s is neither 0 nor between %s and %.0f a second", text, strconv.FormatFloat(slowest, 'f', -1, 64), fastest)
	}
	return math.Abs(rate), nil // -0 is 0
}

// spellRate formats a rate in the first unit that needs at most twelve digits: 100/min, not
// 1.6666666666666667/s.
func spellRate(rate float64) string {
	for _, u := range units {
		n, _ := strconv.ParseFloat(strconv.FormatFloat(rate*u.seconds, 'g', 12, 64), 64)
		if n/u.seconds == rate {
			return strconv.FormatFloat(n, 'f', -1, 64) + "/" + u.words[0]
		}
	}
	return strconv.FormatFloat(rate, 'f', -1, 64) + "/s"
}

// parseTime parses a time such as 90s, 500ms or 5m. It requires a unit, because some options count
// in minutes.
func parseTime(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longest {
		return 0, fmt.Errorf("%q is not a time such as 500ms, 90s or 5m, of at most %.0fm", text, longest.Minutes())
	}
	return d, nil
}

// spellTime formats a time in seconds, exactly.
func spellTime(d time.Duration) string {
	text := strconv.FormatInt(int64(d/time.Second), 10)
	if rest := d % time.Second; rest > 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%09d", int64(rest)), "0")
	}
	return text + "s"
}

// readParts parses comma-separated rates and times.
func readParts(text string, into ...any) error {
	parts := strings.Split(text, ",")
	if len(parts) != len(into) {
		return fmt.Errorf("%q has %d parts instead of %d", text, len(parts), len(into))
	}
	for i, part := range parts {
		var err error
		switch p := into[i].(type) {
		case *float64:
			*p, err = parseRate(part)
		case *time.Duration:
			*p, err = parseTime(part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parseMoments parses times and rates: 0s=100/s,30s=500/s.
func parseMoments(text string) ([]moment, error) {
	var list []moment
	for part := range strings.SplitSeq(text, ",") {
		at, rate, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not a time, = and a rate", part)
		}
		m := moment{}
		var err error
		if m.at, err = parseTime(at); err != nil {
			return nil, err
		}
		if m.rate, err = parseRate(rate); err != nil {
			return nil, err
		}
		if list, err = addMoment(list, m); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// addMoment appends a moment, which must not be before the last.
func addMoment(list []moment, m moment) ([]moment, error) {
	if len(list) == mostMoments {
		return nil, fmt.Errorf("it has more than %d rates", mostMoments)
	}
	if n := len(list); n > 0 && m.at < list[n-1].at {
		return nil, fmt.Errorf("%s comes after %s: put them in order", spellTime(m.at), spellTime(list[n-1].at))
	}
	return append(list, m), nil
}

func spellMoments(list []moment) string {
	parts := make([]string, len(list))
	for i, m := range list {
		parts[i] = spellTime(m.at) + "=" + spellRate(m.rate)
	}
	return strings.Join(parts, ",")
}
