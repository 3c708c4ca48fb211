package report

import (
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// DoctorSchema names the format of Doctor, as Schema does for Document.
const DoctorSchema = "sledge-doctor-1"

// Doctor is the document of sledge doctor.
type Doctor struct {
	Schema string `json:"schema"`           // always DoctorSchema
	Target string `json:"target,omitempty"` // the database that was checked; missing if none was named
	job.Doctor
}

// DoctorText formats the findings for people, the worst first, grouped by where they are. If height
// is not 0, they take at most so many lines: then lesser findings have one line, and the last may
// only be counted. all shows each text, and each check that could not be made.
func DoctorText(d job.Doctor, v View, height int, all bool) string {
	text := ""
	const levels = 5
	for level := range levels {
		t := doctorText{View: v, level: level, all: all}
		text = t.write(d)
		if lines := strings.Count(text, "\n"); all || height <= 0 || lines < height {
			return text
		}
	}
	lines := strings.SplitAfter(text, "\n")
	const foot = 3
	if height <= foot {
		return text
	}
	return strings.Join(lines[:height-foot], "") + "… and more: --all shows everything\n" + lines[len(lines)-2]
}

// doctorText is the text of findings under construction. A level is how much it leaves out.
type doctorText struct {
	View
	strings.Builder
	level int
	all   bool
}

func (t *doctorText) write(d job.Doctor) string {
	var places []string
	for _, a := range d.Findings {
		if !slices.Contains(places, a.Where) {
			places = append(places, a.Where)
		}
	}
	for _, place := range places {
		t.line(t.Look.Strong, "", strings.ToUpper(place[:1])+Printable(place[1:]))
		for _, a := range d.Findings {
			if a.Where == place {
				t.finding(a)
			}
		}
	}
	t.unchecked(d)
	more := ""
	if t.level > 0 {
		more = " --all shows why, and how to mend it."
	}
	t.line(plain, "", DoctorSummary(d)+more)
	return t.String()
}

// briefly reports whether a finding has one line at this level.
func (t *doctorText) briefly(s job.Severity) bool {
	switch t.level {
	case 0:
		return false
	case 1:
		return s == job.SeverityNote
	case 2:
		return s == job.SeverityNote || s == job.SeverityMedium
	}
	return true
}

func (t *doctorText) finding(a job.Advice) {
	look := t.Look.Faint
	switch a.Severity {
	case job.SeverityStop:
		look = t.Look.Bad
	case job.SeverityHigh:
		look = t.Look.Doubtful
	}
	const indent = "          "
	head := fmt.Sprintf("  %-7s ", a.Severity)
	text := fmt.Sprintf("%s: %s", a.ID, Printable(a.Value))
	if t.briefly(a.Severity) {
		t.line(look, indent, head+text)
		return
	}
	t.line(look, indent, head+text)
	t.line(plain, indent+"  ", indent+"should be "+Printable(a.Wanted))
	t.line(plain, indent+"  ", indent+Printable(a.Why)+" ("+Printable(a.Source)+")")
	t.line(plain, indent+"  ", indent+"mend: "+Printable(a.Mend))
}

// unchecked lists what was not checked, one line for each reason.
func (t *doctorText) unchecked(d job.Doctor) {
	switch {
	case len(d.Unchecked) == 0:
		return
	case t.level > 0:
		t.line(t.Look.Faint, "  ", fmt.Sprintf("Not checked: %d (--all lists them with the reasons)", len(d.Unchecked)))
		return
	}
	var reasons []string
	of := map[string][]string{}
	for _, u := range d.Unchecked {
		if of[u.Why] == nil {
			reasons = append(reasons, u.Why)
		}
		of[u.Why] = append(of[u.Why], u.ID)
	}
	for _, why := range reasons {
		ids := of[why]
		const few = 3
		text := strings.Join(ids, ", ")
		if len(ids) > few && !t.all {
			text = fmt.Sprintf("%s and %d more", strings.Join(ids[:few], ", "), len(ids)-few)
		}
		t.line(t.Look.Faint, "  ", "Not checked: "+text+": "+Printable(why))
	}
}

// line writes a line, folded to the width; later lines begin with indent.
func (t *doctorText) line(look func(string) string, indent, text string) {
	width := 0
	if t.Width > 0 {
		width = max(20, t.Width-len(indent))
	}
	for i, line := range strings.Split(terminal.Fold(text, width), "\n") {
		if i > 0 {
			line = indent + strings.TrimLeft(line, " ")
		}
		t.WriteString(look(line) + "\n")
	}
}

// DoctorSummary counts the findings: "3 findings: 1 high, 2 notes. 40 checks found nothing."
func DoctorSummary(d job.Doctor) string {
	quiet := d.Checks - len(d.Findings)
	if len(d.Findings) == 0 {
		return fmt.Sprintf("No findings in %s.", plural(d.Checks, "check"))
	}
	return fmt.Sprintf("%s: %s. %s found nothing.", plural(len(d.Findings), "finding"), severities(d), plural(quiet, "check"))
}

// severities counts findings by severity: "1 high, 2 notes".
func severities(d job.Doctor) string {
	var parts []string
	for _, s := range job.Severities {
		if n := d.Count(s); n > 0 {
			word := string(s)
			if s == job.SeverityNote && n > 1 {
				word += "s"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, ", ")
}

// doctorOf says what doctor found before a run, in one line.
func doctorOf(d job.Doctor) string {
	if len(d.Findings) == 0 {
		return "found nothing before this run, in " + plural(d.Checks, "check")
	}
	var ids []string
	for _, a := range d.Findings {
		if a.Severity != job.SeverityNote {
			ids = append(ids, fmt.Sprintf("%s (%s)", a.ID, Printable(a.Value)))
		}
	}
	text := fmt.Sprintf("found %d before this run: %s", len(d.Findings), severities(d))
	if len(ids) > 0 {
		text += ": " + strings.Join(ids, "; ")
	}
	return text
}

// findingsOf lists the IDs of findings, for comparisons.
func findingsOf(d *job.Doctor) string {
	if d == nil {
		return ""
	}
	var ids []string
	for _, a := range d.Findings {
		ids = append(ids, a.ID)
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		return "nothing"
	}
	return strings.Join(ids, ", ")
}

// plural counts things: "1 check", "2 checks".
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(int64(n)) + " " + noun
}
