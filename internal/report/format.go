package report

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"
)

// millis writes nanoseconds as milliseconds. A histogram holds three significant
// digits, so no more are shown, except of whole milliseconds.
func millis(ns float64) string {
	ms := ns / 1e6
	if ms >= 100 {
		return strconv.FormatFloat(ms, 'f', 0, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(ms, 'g', 3, 64), 64) // its own output: it parses
	if rounded == 0 {
		return "0"
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(rounded))))
	return strconv.FormatFloat(rounded, 'f', decimals, 64)
}

// count writes a number with commas, for people.
func count(n int64) string { return humanize.Comma(n) }

// percent returns part as a share of whole in percent, 0 when there is no whole.
func percent(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * part / whole
}

// printable shows what others wrote, such as a server's message, without letting
// it move the cursor or hide text: what is not printable is written as an escape.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}
