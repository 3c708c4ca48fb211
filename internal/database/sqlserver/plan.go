package sqlserver

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/job"
)

// explainer returns a function that turns a setting on, runs a query and returns its plan. It needs
// the right SHOWPLAN on the database. Babelfish ignores SQL Server's setting and has its own.
func explainer(setting, ofBabelfish string) database.Explainer {
	return func(ctx context.Context, s database.Session, query string) (database.Table, error) {
		ours := s.(*session)
		isBabelfish, err := ours.isBabelfish(ctx)
		if err != nil {
			return database.Table{}, err
		}
		setting, answer := setting, s.Query
		if isBabelfish {
			setting, answer = ofBabelfish, ours.queryPlan
		}
		if err := s.Exec(ctx, switched(setting, "ON")); err != nil {
			return database.Table{}, err
		}
		t, err := answer(ctx, query, 0)
		return t, errors.Join(err, s.Exec(ctx, switched(setting, "OFF")))
	}
}

// queryPlan runs a query on Babelfish and returns its plan, without the first row, which is the
// text of the query. The plan is a result set after the query's rows and before the time of
// parsing.
func (s *session) queryPlan(ctx context.Context, query string, _ int) (database.Table, error) {
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return database.Table{}, err
	}
	defer done()
	sets, err := s.sets(ctx, s.hinted(query), 0)
	for _, t := range sets {
		if len(t.Columns) == 1 && t.Columns[0] == "QUERY PLAN" && len(t.Rows) > 0 {
			t.Rows = t.Rows[1:]
			return t, s.failed(err)
		}
	}
	return database.Table{}, s.failed(err)
}

func switched(setting, to string) string { return "SET " + setting + " " + to }

// readPlan is Dialect.ReadPlan. It draws the operators of the XML as a tree, each with its details
// in the lines below, because the XML has no lines. Other text stays unchanged: Babelfish's plans
// are PostgreSQL's, in which the costs follow the name of a step.
func readPlan(answer database.Table) []job.PlanLine {
	var lines []job.PlanLine
	for _, row := range answer.Rows {
		text := row[len(row)-1]
		decoder := xml.NewDecoder(strings.NewReader(text))
		decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // the text is decoded already
		var plan element
		if err := decoder.Decode(&plan); err != nil || plan.XMLName.Local != "ShowPlanXML" {
			for line := range strings.Lines(text) {
				line = strings.TrimRight(line, "\r\n")
				step, _, isStep := strings.Cut(line, "  (cost=")
				if !isStep {
					step = ""
				}
				lines = append(lines, job.PlanLine{Text: line, Step: step})
			}
			continue
		}
		lines = plan.draw(lines, 0)
	}
	return lines
}

// element is an element of the XML format https://schemas.microsoft.com/sqlserver/2004/07/showplan.
type element struct {
	XMLName    xml.Name
	Attributes []xml.Attr `xml:",any,attr"`
	Children   []element  `xml:",any"`
}

// attribute returns the value of an attribute, or "" if it is missing.
func (e element) attribute(name string) string {
	for _, a := range e.Attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// named returns an attribute that contains a name, without its brackets.
func (e element) named(attribute string) string { return strings.Trim(e.attribute(attribute), "[]") }

// told returns the given attributes that exist, as "name=value" separated by blanks.
func (e element) told(names ...string) string {
	var words []string
	for _, name := range names {
		if value := e.attribute(name); value != "" {
			words = append(words, name+"="+value)
		}
	}
	return strings.Join(words, " ")
}

// each calls f for every element within e, except for other operators and their contents. If f
// returns false, it skips the elements within that element.
func (e element) each(f func(element) bool) {
	for _, child := range e.Children {
		if child.XMLName.Local != "RelOp" && f(child) {
			child.each(f)
		}
	}
}

// draw adds the lines of the operators within e.
func (e element) draw(lines []job.PlanLine, depth int) []job.PlanLine {
	switch e.XMLName.Local {
	case "RelOp":
		lines = append(lines, e.operator(strings.Repeat("  ", depth))...)
		depth++
	case "QueryPlan", "QueryTimeStats":
		if told := e.told("DegreeOfParallelism", "NonParallelPlanReason", "CpuTime", "ElapsedTime"); told != "" {
			lines = append(lines, job.PlanLine{Text: e.XMLName.Local + ": " + told})
		}
	case "MissingIndexGroup":
		e.each(func(index element) bool {
			if table := index.named("Table"); table != "" {
				var columns []string
				index.each(func(c element) bool {
					columns = append(columns, c.named("Name"))
					return true
				})
				columns = slices.DeleteFunc(columns, func(name string) bool { return name == "" })
				lines = append(lines, job.PlanLine{Text: fmt.Sprintf("missing index: %s (%s) %s", table, strings.Join(columns, ", "), e.told("Impact"))})
			}
			return false
		})
	}
	for _, child := range e.Children {
		lines = child.draw(lines, depth)
	}
	return lines
}

// operator returns the line of an operator and the lines of its details.
func (e element) operator(indent string) []job.PlanLine {
	var known facts
	e.each(known.learn)
	physical, logical := e.attribute("PhysicalOp"), e.attribute("LogicalOp")
	line := job.PlanLine{Step: indent + physical}
	if logical != "" && logical != physical {
		line.Step += " (" + logical + ")"
	}
	if known.byColumn {
		line.Step += " by column"
	}
	if len(known.objects) > 0 {
		line.Step += " " + strings.Join(known.objects, ", ")
	}
	line.Text = line.Step
	if e.attribute("EstimatedExecutionMode") == "Batch" {
		line.Text += ", in batches"
	}
	line.Text += fmt.Sprintf("  (estimated rows=%s cost=%s)", e.attribute("EstimateRows"), e.attribute("EstimatedTotalSubtreeCost"))
	line.Text += known.actual.String()
	lines := []job.PlanLine{line}
	if len(known.sought) > 0 {
		lines = append(lines, job.PlanLine{Text: indent + "    seek: " + strings.Join(known.sought, ", ")})
	}
	for _, detail := range known.details {
		lines = append(lines, job.PlanLine{Text: indent + "    " + detail})
	}
	return lines
}

// facts are the details of an operator.
type facts struct {
	objects  []string // tables and indexes
	byColumn bool     // whether they are stored by column
	sought   []string // columns by which a seek finds rows
	details  []string // conditions and warnings
	actual   actually
}

// learn adds the details in an element, and reports whether to look at the elements within it, too.
func (f *facts) learn(part element) bool {
	switch part.XMLName.Local {
	case "Object":
		object := part.named("Table")
		if index := part.named("Index"); index != "" {
			object += "." + index
		}
		if !slices.Contains(f.objects, object) {
			f.objects = append(f.objects, object)
		}
	case "IndexScan", "TableScan":
		f.byColumn = f.byColumn || part.attribute("Storage") == "ColumnStore"
	case "RangeColumns":
		for _, column := range part.Children {
			f.sought = append(f.sought, column.named("Column"))
		}
	case "RunTimeCountersPerThread":
		f.actual.add(part)
	case "Predicate", "ProbeResidual", "Residual":
		for _, scalar := range part.Children {
			if text := scalar.attribute("ScalarString"); text != "" {
				f.details = append(f.details, "where: "+strings.Join(strings.Fields(text), " "))
			}
		}
		return false
	case "Warnings":
		f.warn(part)
		return false
	}
	return true
}

func (f *facts) warn(warnings element) {
	for _, a := range warnings.Attributes {
		f.details = append(f.details, "warning: "+a.Name.Local+"="+a.Value)
	}
	for _, warning := range warnings.Children {
		told := warning.told("SpillLevel", "ConvertIssue", "Expression", "WaitTime", "GrantWarningKind")
		f.details = append(f.details, strings.TrimRight("warning: "+warning.XMLName.Local+" "+told, " "))
	}
}

// actually holds the actual figures of an operator, over all threads.
type actually struct {
	threads, rows, executions int64
	milliseconds              int64 // of the slowest thread, including the operators that it reads from
}

func (a *actually) add(counters element) {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(counters.attribute(name), 10, 64) // a missing counter is 0
		return n
	}
	a.threads++
	a.rows += number("ActualRows")
	a.executions += number("ActualExecutions")
	a.milliseconds = max(a.milliseconds, number("ActualElapsedms"))
}

// String returns "" if nothing was executed.
func (a actually) String() string {
	if a.threads == 0 {
		return ""
	}
	text := fmt.Sprintf("  (actual time=%d ms rows=%d executions=%d", a.milliseconds, a.rows, a.executions)
	if a.threads > 1 {
		text += fmt.Sprintf(" threads=%d", a.threads)
	}
	return text + ")"
}
