package db2

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/sqlfile"
)

// explainer returns a function that makes the server write a plan into the existing EXPLAIN tables,
// reads it and rolls back. So it leaves nothing behind.
func explainer(sql *sqlfile.Library) database.Explainer {
	return func(ctx context.Context, s database.Session, query string) (database.Table, error) {
		where, err := sql.Query("explain.schema")
		if err != nil {
			return database.Table{}, err
		}
		schema, err := s.Query(ctx, where.Text, 1)
		if err != nil {
			return database.Table{}, err
		}
		if len(schema.Rows) == 0 {
			install, err := sql.Query("explain.install")
			return database.Table{}, errors.Join(fmt.Errorf("the database has no EXPLAIN tables: a user with the right to create them can run %s", strings.TrimSpace(install.Text)), err)
		}
		rows, err := sql.Script("explain.rows", schema.Rows[0][0])
		if err != nil {
			return database.Table{}, err
		}
		if err := s.Begin(ctx, database.ReadWrite); err != nil {
			return database.Table{}, err
		}
		var plan database.Table
		if err = s.Exec(ctx, "EXPLAIN PLAN SET QUERYTAG = 'sledge' FOR "+query); err == nil {
			plan, err = s.Query(ctx, rows[0], 0)
		}
		return plan, errors.Join(err, s.Rollback(context.WithoutCancel(ctx)))
	}
}

// planRow is a row of explain.sql.
type planRow struct {
	what       string
	id, target int
	name, more string
	number     float64
}

// operator is an operator of a plan, with the operators that it reads from.
type operator struct {
	name             string
	cost, rows       float64 // rows is the number that it returns
	arguments        []string
	objects          []string
	predicates       []planRow
	sources, targets []int
}

// planOf collects the rows by operator. It returns an error if a row does not have the form of
// explain.sql.
func planOf(answer database.Table) (map[int]*operator, error) {
	rows := make([]planRow, len(answer.Rows))
	for i, row := range answer.Rows {
		if len(row) != 6 {
			return nil, fmt.Errorf("a row of a plan has %d columns, not six", len(row))
		}
		id, err := strconv.Atoi(row[1])
		target, targetErr := strconv.Atoi(row[2])
		number, numberErr := strconv.ParseFloat(strings.TrimSpace(row[5]), 64)
		if err := errors.Join(err, targetErr, numberErr); err != nil {
			return nil, fmt.Errorf("invalid row of a plan: %w", err)
		}
		rows[i] = planRow{what: strings.TrimSpace(row[0]), id: id, target: target, name: row[3], more: row[4], number: number}
	}
	slices.SortStableFunc(rows, func(a, b planRow) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.target, b.target), cmp.Compare(a.name, b.name))
	})
	operators := map[int]*operator{}
	for _, row := range rows {
		if row.what == "operator" {
			operators[row.id] = &operator{name: row.name, cost: row.number}
		}
	}
	for _, row := range rows {
		at, to := operators[row.id], operators[row.target]
		switch row.what {
		case "stream":
			switch {
			case to == nil: // a stream into a table
			case at == nil:
				to.objects = append(to.objects, row.name)
			default:
				at.rows = row.number
				at.targets, to.sources = append(at.targets, row.target), append(to.sources, row.id)
			}
		case "argument":
			if at != nil {
				at.arguments = append(at.arguments, strings.ToLower(row.more))
			}
		case "predicate":
			if at != nil && row.target >= 0 { // EXPLAIN adds rows of its own with target -1
				at.predicates = append(at.predicates, row)
			}
		}
	}
	return operators, nil
}

// readPlan is Dialect.ReadPlan. It draws the operators as a tree, each with the rows and the cost
// that the server expects, and its predicates in the lines below. It returns no lines for rows that
// are not a plan.
func readPlan(answer database.Table) []job.PlanLine {
	operators, err := planOf(answer)
	if err != nil {
		return nil
	}
	d := drawing{operators: operators, drawn: map[int]bool{}}
	ids := make([]int, 0, len(operators))
	for id := range operators {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if len(operators[id].targets) == 0 {
			d.draw(id, 0)
		}
	}
	return d.lines
}

type drawing struct {
	operators map[int]*operator
	drawn     map[int]bool
	lines     []job.PlanLine
}

// draw adds the lines of an operator and of the operators that it reads from. An operator with
// several readers, such as a temporary table, is drawn under the first one only.
func (d *drawing) draw(id, depth int) {
	o, indent := d.operators[id], strings.Repeat("  ", depth)
	line := job.PlanLine{Step: indent + o.name}
	if len(o.arguments) > 0 {
		line.Step += " (" + strings.Join(o.arguments, ", ") + ")"
	}
	if len(o.objects) > 0 {
		line.Step += " " + strings.Join(o.objects, ", ")
	}
	if d.drawn[id] {
		line.Text = line.Step + ", the same as above"
		d.lines = append(d.lines, line)
		return
	}
	d.drawn[id] = true
	line.Text = fmt.Sprintf("%s  (estimated rows=%s cost=%s)", line.Step, short(o.rows), short(o.cost))
	if len(o.targets) == 0 {
		line.Text = fmt.Sprintf("%s  (estimated cost=%s)", line.Step, short(o.cost))
	}
	d.lines = append(d.lines, line)
	for _, p := range o.predicates {
		d.lines = append(d.lines, job.PlanLine{Text: fmt.Sprintf("%s    %s: %s", indent, strings.ToLower(p.name), strings.Join(strings.Fields(p.more), " "))})
	}
	for _, source := range o.sources {
		d.draw(source, depth+1)
	}
}

// short formats an estimate with six digits; further digits have no meaning.
func short(estimate float64) string { return strconv.FormatFloat(estimate, 'g', 6, 64) }
