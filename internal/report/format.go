package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
)

// millis formats nanoseconds as milliseconds. A histogram holds three significant digits, so no
// more are shown, except for whole milliseconds.
func millis(ns float64) string {
	ms := ns / 1e6
	if ms >= 100 {
		return strconv.FormatFloat(ms, 'f', 0, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(ms, 'g', 3, 64), 64) // its own output always parses
	if rounded == 0 {
		return "0"
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(rounded))))
	return strconv.FormatFloat(rounded, 'f', decimals, 64)
}

// Spell formats a time for people: "5 min", "12.5 s".
func Spell(d time.Duration) string {
	if d < time.Minute {
		decimals := 2
		if d >= 10*time.Second {
			decimals = 1
		}
		return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(d.Seconds(), 'f', decimals, 64), "0"), ".") + " s"
	}
	d = d.Round(time.Second)
	var parts []string
	for _, unit := range []struct {
		n    int64
		name string
	}{{int64(d / time.Hour), "h"}, {int64(d % time.Hour / time.Minute), "min"}, {int64(d % time.Minute / time.Second), "s"}} {
		if unit.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", unit.n, unit.name))
		}
	}
	return strings.Join(parts, " ")
}

// count formats a number with commas, for people.
func count(n int64) string { return humanize.Comma(n) }

// Percent returns part as a share of whole in percent, 0 when there is no whole.
func Percent(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * part / whole
}

// Printable formats a line of another program, such as a server's message, so that it can neither
// move the cursor nor hide text: unprintable characters become escapes with their numbers.
func Printable(line string) string { return escaped(line, "") }

// OneLine formats an error as one Printable line, because scripts take the last line.
func OneLine(err error) string {
	text := job.Cut(cutWords(strings.TrimSpace(err.Error())), job.LongestText)
	return Printable(strings.ReplaceAll(text, "\n", "; "))
}

// PrintableLines is Printable for text of several lines, which may have tabs.
func PrintableLines(text string) string { return escaped(text, "\n\t") }

func escaped(text, kept string) string {
	hidden := func(r rune) bool { return !unicode.IsGraphic(r) && !strings.ContainsRune(kept, r) }
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r <= unicode.MaxLatin1:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// cutWords shortens words of a message that are longer than any name or path, so that the way out
// after them stays visible.
func cutWords(text string) string {
	const longest = 300
	words := strings.SplitAfter(text, " ")
	for i, word := range words {
		if len(word) > longest {
			words[i] = strings.ToValidUTF8(word[:60], "") + "... (" + strconv.Itoa(len(word)) + " bytes) "
		}
	}
	return strings.Join(words, "")
}
