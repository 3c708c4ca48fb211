package report

import (
	"fmt"
	"math"

	"sledge/internal/job"
	"sledge/internal/statistics"
)

// steadiness reports the course of the throughput in the measured time.
func steadiness(s job.Steadiness) Ground {
	g := func(tone Tone, format string, args ...any) Ground {
		return Ground{tone, "Course", fmt.Sprintf(format, args...)}
	}
	known := ""
	if s.Precision != nil {
		known = fmt.Sprintf("; the mean rate of transactions is known to ±%.2g %%", *s.Precision)
	}
	switch statistics.Pattern(s.Pattern) {
	case statistics.Drifting:
		return g(Doubtful, "not steady: the rate of transactions %s in the measured time, so the figures depend on its length. Measure for longer, and look for what grows: data, caches, logs.", moved(s.Change))
	case statistics.Jumping:
		return g(Doubtful, "not steady: the rate of transactions %s, so the figures are a mean of different states.", jumps(s.Jumps))
	case statistics.Oscillating:
		text := fmt.Sprintf("the rate of transactions repeats itself every %s, as with checkpoints", clock(s.Period))
		if !s.Enough {
			return g(Doubtful, "%s, and the measured time has fewer than 3 such periods. Measure for %s or longer.", text, clock(3*s.Period))
		}
		return g(Plain, "%s%s", text, known)
	}
	if s.From == 0 {
		return g(Good, "steady from the beginning%s", known)
	}
	text := fmt.Sprintf("steady only from %s: what precedes it is ramp-up, and makes the mean rate %s", clock(s.From), higher(s.Effect))
	if math.Abs(s.Effect) < matters {
		return g(Plain, "%s%s", text, known)
	}
	return g(Doubtful, "%s. Add %.0f s of ramp-up.", text, s.From)
}

// matters is the least effect of a ramp-up on the figures, in percent, of which a reader should know.
const matters = 1

// moved says by how much a rate changed: "fell by 20 %".
func moved(percent float64) string {
	if percent < 0 {
		return fmt.Sprintf("fell by %.3g %%", -percent)
	}
	return fmt.Sprintf("rose by %.3g %%", percent)
}

// higher says by how much a rate differs from another: "20 % lower".
func higher(percent float64) string {
	if percent < 0 {
		return fmt.Sprintf("%.2g %% lower", -percent)
	}
	return fmt.Sprintf("%.2g %% higher", percent)
}

// jumps says when a rate changed for long: "fell by 20 % at 2:05, during a checkpoint, and rose by 24 % at 3:10".
func jumps(list []job.ThroughputJump) string {
	const told = 3
	text := ""
	for i, jump := range list[:min(told, len(list))] {
		if i > 0 {
			text += ", "
		}
		text += moved(jump.Change) + " at " + clock(jump.At)
		switch {
		case jump.Background != "":
			text += " during a " + Printable(jump.Background)
		case jump.Class != "":
			text += " when more sessions were " + stateWord(jump.Class)
		}
	}
	if more := len(list) - told; more > 0 {
		text += fmt.Sprintf(", and changed %d more times", more)
	}
	return text
}
