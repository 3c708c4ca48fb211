package tproch

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"sledge/internal/job"
	"sledge/internal/workload"
	"sledge/internal/workload/tproch/dbgen"
)

// inspect finds the amount of data, and whether orders and lines are dbgen's, including the work of
// the refresh functions.
func inspect(ctx context.Context, l workload.Look) (seen workload.Inspection, err error) {
	factor, err := findScale(ctx, l.Session, l.SQL)
	if err != nil {
		return seen, err
	}
	seen.Size = factor
	if seen.Foreign, err = builtBy(ctx, l.Session, l.SQL); err != nil {
		return seen, err
	}
	size, err := dbgen.NewScale(factor)
	if err != nil {
		return seen, nil // the rules report problems with the suppliers
	}
	finding := job.Finding{
		Rule: "rows", Source: "TPC-H 4.2.5",
		Title: "orders and lineitem equal dbgen's, refreshes included, by their numbers, keys and quantities",
	}
	done, err := readProgress(ctx, l, size)
	if err != nil {
		return seen, err
	}
	there, err := readTotals(ctx, l)
	if err != nil {
		return seen, err
	}
	should, err := expected(ctx, l, size, done)
	if err != nil {
		return seen, err
	}
	for i, what := range totalled {
		if there[i].Cmp(should[i]) != 0 {
			finding.Rows = append(finding.Rows, []string{what, there[i].FloatString(0), should[i].FloatString(0)})
		}
	}
	if finding.Holds = len(finding.Rows) == 0; !finding.Holds {
		finding.Columns = []string{"of", "there are", "there should be"}
		if seen.Foreign != "" {
			finding.Excuse = fmt.Sprintf("%s built this schema with random rows, so their number is unknown", seen.Foreign)
		}
	}
	seen.Findings = append(seen.Findings, finding)
	return seen, nil
}

// totalled names the totals that are compared.
var totalled = [...]string{"orders", "sum of the orders' keys", "lines", "sum of the lines' quantities"}

type sums [len(totalled)]*big.Rat

// readTotals reads the totals from the database.
func readTotals(ctx context.Context, l workload.Look) (found sums, err error) {
	for i, name := range []string{"totals.orders", "totals.lines"} {
		rows, err := ask(ctx, l, name)
		if err != nil {
			return found, err
		}
		for column, text := range rows[0] {
			if text == "NULL" { // the sum of no rows
				text = "0"
			}
			n, is := new(big.Rat).SetString(text)
			if !is {
				return found, fmt.Errorf("sql %s: %q is not a number", name, text)
			}
			found[2*i+column] = n
		}
	}
	return found, nil
}

// expected computes the totals that the database should have.
func expected(ctx context.Context, l workload.Look, size dbgen.Scale, done progress) (sums, error) {
	const step = 1 << 20 // orders, a few hundredths of a second
	all := size.Count(dbgen.Orders)
	total := &dbgen.Totals{}
	began := time.Now()
	for first := int64(1); first <= all; first += step {
		if err := ctx.Err(); err != nil {
			return sums{}, err
		}
		if time.Since(began) > 2*time.Second {
			l.Progress("counting the lines that dbgen generates", first, all)
		}
		total.Add(size.Initial(first, min(step, all-first+1)))
	}
	total.Add(size.Inserted(1, done[newSales]))
	total.Subtract(size.Initial(1, done[oldSales]))
	return sums{
		new(big.Rat).SetInt64(total.Orders), new(big.Rat).SetInt(total.Keys()),
		new(big.Rat).SetInt64(total.Lines), new(big.Rat).SetInt64(total.Quantity),
	}, nil
}

// ask runs a query without parameters.
func ask(ctx context.Context, l workload.Look, name string) ([][]string, error) {
	q, err := l.SQL.Query(name)
	if err != nil {
		return nil, err
	}
	t, err := l.Session.Query(ctx, q.Text, 0)
	if err != nil {
		return nil, fmt.Errorf("sql %s: %w", name, err)
	}
	return t.Rows, nil
}
