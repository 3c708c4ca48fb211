package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"sledge/internal/job"
)

// JUnitHead is the beginning of each report that JUnit writes; it identifies such a report.
const JUnitHead = xml.Header + `<testsuites name="sledge"`

// The elements of a report, as programs that show CI results read them. A missed test is a failure.
// A test without an outcome, because the run is not valid, is an error.
type (
	junitReport struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitProblem `xml:"failure,omitempty"`
		Error   *junitProblem `xml:"error,omitempty"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
)

// JUnit writes runs as a report in JUnit's XML: a suite for each, with a test for the validity of
// the run and one for each threshold. failure is the error with which the runs ended; if no run
// shows it, it gets its own suite.
func JUnit(w io.Writer, runs []job.Job, failure error) error {
	r := junitReport{Name: "sledge"}
	shown := false
	for _, j := range runs {
		s := junitRun(j)
		shown = shown || s.Failures+s.Errors > 0
		r.Suites = append(r.Suites, s)
	}
	if failure != nil && !shown {
		problem := &junitProblem{Type: "error", Message: Printable(OneLine(failure))}
		r.Suites = append(r.Suites, counted(junitSuite{Name: "sledge run", Time: junitSeconds(0), Cases: []junitCase{
			{Class: "sledge.run", Name: "ends without an error", Time: junitSeconds(0), Error: problem},
		}}))
	}
	for _, s := range r.Suites {
		r.Tests, r.Failures, r.Errors = r.Tests+s.Tests, r.Failures+s.Failures, r.Errors+s.Errors
	}
	text, err := xml.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write a JUnit report: %w", err)
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

func junitRun(j job.Job) junitSuite {
	took := j.Ended.Sub(j.Begun).Seconds()
	s := junitSuite{
		Name: fmt.Sprintf("run %s on %s, %s", j.Spec.Workloads(), j.Spec.Database, VirtualUsers(Users(j))),
		Time: junitSeconds(took), Timestamp: j.Begun.UTC().Format("2006-01-02T15:04:05"),
	}
	property := func(name, value string) {
		s.Properties = append(s.Properties, junitProperty{Printable(name), Printable(value)})
	}
	if j.ID != "" {
		property("job", string(j.ID))
	}
	property("status", string(j.Status))
	property("seed", strconv.FormatUint(j.Spec.Seed, 10))
	if j.Facts != nil {
		property("server", server(j))
	}
	for _, m := range j.Result.Metrics {
		property(m.Name, strings.TrimSpace(strconv.FormatFloat(m.Value, 'f', -1, 64)+" "+m.Unit))
	}
	valid := junitCase{Class: "sledge.run", Name: "valid", Time: junitSeconds(took)}
	if !j.Status.Valid() {
		valid.Error = &junitProblem{Type: string(j.Status), Message: Printable(strings.ReplaceAll(j.Reason, "\n", "; "))}
	}
	s.Cases = append(s.Cases, valid)
	for _, t := range j.Result.Thresholds {
		c := junitCase{Class: "sledge.threshold", Name: t.Threshold, Time: junitSeconds(0), Output: Printable(t.Text)}
		problem := &junitProblem{Type: "threshold", Message: Printable(t.Text)}
		switch {
		case t.Passed:
		case j.Status.Valid():
			c.Failure = problem
		default:
			c.Error = problem
		}
		s.Cases = append(s.Cases, c)
	}
	return counted(s)
}

// counted fills in the counts of a suite.
func counted(s junitSuite) junitSuite {
	s.Tests = len(s.Cases)
	for _, c := range s.Cases {
		if c.Failure != nil {
			s.Failures++
		}
		if c.Error != nil {
			s.Errors++
		}
	}
	return s
}

func junitSeconds(seconds float64) string {
	return strconv.FormatFloat(max(seconds, 0), 'f', 3, 64)
}
