// Package answers compares answers to the queries of TPROC-H. It knows the columns of each answer,
// their order, and how far values may differ. It does not connect to databases.
package answers

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the kind of a column's values, which decides how two of them are compared.
type Kind int

// The kinds.
const (
	Text    Kind = iota // equal except for trailing blanks: columns of fixed length have them, published answers do not
	Date                // the same day, with or without a midnight time
	Whole               // keys, sizes, years and counts: the same number in any notation
	Decimal             // money of a row, sums, averages and ratios: equal within the tolerance
)

// Column is one of the columns of an answer.
type Column struct {
	Name string
	Kind Kind
}

// Answer describes the answers to a query.
type Answer struct {
	Columns []Column

	// Keys are the columns that the rows are sorted by. Rows with equal keys may come in any order.
	Keys []int

	// Limit is the largest number of rows; 0 means no limit.
	Limit int
}

// Of returns the description of the answers to one of the 22 queries.
func Of(query int) Answer { return standard[query] }

// CloudQueries is the number of queries in the cloud analytic set, which are numbered from 1.
const CloudQueries = 13

// OfCloud returns the description of the answers to a query of the cloud analytic set.
func OfCloud(query int) Answer { return cloud[query] }

var standard = [...]Answer{
	1: {
		Columns: columns("l_returnflag l_linestatus sum_qty~ sum_base_price~ sum_disc_price~ sum_charge~ avg_qty~ avg_price~ avg_disc~ count_order#"),
		Keys:    []int{0, 1},
	},
	2:  {Columns: columns("s_acctbal~ s_name n_name p_partkey# p_mfgr s_address s_phone s_comment"), Keys: []int{0, 2, 1, 3}, Limit: 100},
	3:  {Columns: columns("l_orderkey# revenue~ o_orderdate@ o_shippriority#"), Keys: []int{1, 2}, Limit: 10},
	4:  {Columns: columns("o_orderpriority order_count#"), Keys: []int{0}},
	5:  {Columns: columns("n_name revenue~"), Keys: []int{1}},
	6:  {Columns: columns("revenue~")},
	7:  {Columns: columns("supp_nation cust_nation l_year# revenue~"), Keys: []int{0, 1, 2}},
	8:  {Columns: columns("o_year# mkt_share~"), Keys: []int{0}},
	9:  {Columns: columns("nation o_year# sum_profit~"), Keys: []int{0, 1}},
	10: {Columns: columns("c_custkey# c_name revenue~ c_acctbal~ n_name c_address c_phone c_comment"), Keys: []int{2}, Limit: 20},
	11: {Columns: columns("ps_partkey# value~"), Keys: []int{1}},
	12: {Columns: columns("l_shipmode high_line_count# low_line_count#"), Keys: []int{0}},
	13: {Columns: columns("c_count# custdist#"), Keys: []int{1, 0}},
	14: {Columns: columns("promo_revenue~")},
	15: {Columns: columns("s_suppkey# s_name s_address s_phone total_revenue~"), Keys: []int{0}},
	16: {Columns: columns("p_brand p_type p_size# supplier_cnt#"), Keys: []int{3, 0, 1, 2}},
	17: {Columns: columns("avg_yearly~")},
	18: {Columns: columns("c_name c_custkey# o_orderkey# o_orderdate@ o_totalprice~ sum_quantity~"), Keys: []int{4, 3}, Limit: 100},
	19: {Columns: columns("revenue~")},
	20: {Columns: columns("s_name s_address"), Keys: []int{0}},
	21: {Columns: columns("s_name numwait#"), Keys: []int{1, 0}, Limit: 100},
	22: {Columns: columns("cntrycode numcust# totacctbal~"), Keys: []int{0}},
}

var cloud = [CloudQueries + 1]Answer{
	1: {Columns: columns("p_brand revenue~"), Keys: []int{1}, Limit: 10},
	2: {Columns: columns("median_price~")},
	3: {Columns: columns("upper_price~")},
	4: {Columns: columns("median_discount~")},
	5: {Columns: columns("sum_qty~ sum_base_price~ sum_disc_price~ sum_charge~ avg_qty~ avg_price~ avg_disc~ count_order#")},
	6: {Columns: columns("c_name order_count#"), Keys: []int{0, 1}, Limit: 100},
	7: {Columns: columns("p_partkey# line_count#"), Keys: []int{0, 1}, Limit: 100},
	8: {
		Columns: columns("p_partkey# p_name p_mfgr p_brand p_type p_size# p_container p_retailprice~ sum_quantity~ value~"),
		Keys:    []int{9}, Limit: 10,
	},
	9:  {Columns: columns("l_orderkey# l_linenumber# l_partkey# l_quantity~ s_suppkey# s_name"), Keys: []int{0, 1}},
	10: {Columns: columns("p_partkey# line_count#"), Keys: []int{0}},
	11: {Columns: columns("p_partkey# line_count#"), Keys: []int{0}, Limit: 100},
	12: {Columns: columns("o_orderkey# o_custkey# o_orderstatus o_totalprice~ o_orderdate@"), Keys: []int{0, 1, 2, 3, 4}, Limit: 100},
	13: {Columns: columns("p_brand p_type p_size# supplier_cnt#"), Keys: []int{3, 0, 1, 2}},
}

// columns parses names, with @ after a date, # after a whole number and ~ after a decimal.
func columns(names string) []Column {
	var list []Column
	for name := range strings.FieldsSeq(names) {
		kind := map[byte]Kind{'@': Date, '#': Whole, '~': Decimal}[name[len(name)-1]]
		list = append(list, Column{strings.TrimRight(name, "@#~"), kind})
	}
	return list
}

// Tolerance is the allowed difference between two decimal numbers: an absolute one or a share of
// the expected number, whichever is larger.
type Tolerance struct{ Absolute, Relative float64 }

var (
	// Published is the tolerance for the standard's answers, which are rounded to two digits. The
	// standard allows more: 100 for a sum of money, 1 % for averages and ratios (TPC-H 2.1.3.5).
	Published = Tolerance{Absolute: 0.01}

	// Computed is the tolerance for the answers of two databases. Some return averages with four
	// digits after the point, and the last digits of floating-point sums differ.
	Computed = Tolerance{Absolute: 0.0001, Relative: 1e-9}
)

// mostDifferences limits the rows in an error.
const mostDifferences = 5

// Compare returns an error that describes how an answer differs from the expected one. Values are
// texts, and NULL is "NULL".
//
// If an answer is at its row limit, rows with the same keys as the last one may have been left out.
// If the answers differ, only the keys of such rows are compared.
func (a Answer) Compare(got, want [][]string, t Tolerance) error {
	var differences []string
	differ := func(format string, values ...any) {
		differences = append(differences, fmt.Sprintf(format, values...))
	}
	for i, row := range got {
		if len(row) != len(a.Columns) {
			return fmt.Errorf("row %d: got %d values, want %d", i+1, len(row), len(a.Columns))
		}
	}
	if len(got) != len(want) {
		differ("got %d rows, want %d", len(got), len(want))
	}
	for from := 0; from < min(len(got), len(want)) && len(differences) < mostDifferences; {
		to := a.tieEnd(want, from, t)
		last := to == len(want) && to == a.Limit
		unmatched := slices.Clone(want[from:to])
		for i := from; i < min(to, len(got)); i++ {
			n := a.match(got[i], unmatched, t)
			switch {
			case n >= 0:
				unmatched = slices.Delete(unmatched, n, n+1)
			case last && a.sameKeys(got[i], want[from], t):
			default:
				differ("row %d: got %s, want %s", i+1, strings.Join(got[i], "|"), strings.Join(unmatched[0], "|"))
				unmatched = unmatched[1:]
			}
		}
		from = to
	}
	if len(differences) == 0 {
		return nil
	}
	return errors.New(strings.Join(differences, "; "))
}

// tieEnd returns the end of the rows whose keys equal those of the row before them. Without keys,
// it returns the end of all rows.
func (a Answer) tieEnd(rows [][]string, from int, t Tolerance) int {
	to := from + 1
	for to < len(rows) && a.sameKeys(rows[to], rows[to-1], t) {
		to++
	}
	return to
}

func (a Answer) sameKeys(got, want []string, t Tolerance) bool {
	for _, k := range a.Keys {
		if !same(a.Columns[k].Kind, got[k], want[k], t) {
			return false
		}
	}
	return true
}

// match returns the index of a row that equals the given one, or -1.
func (a Answer) match(got []string, rows [][]string, t Tolerance) int {
	return slices.IndexFunc(rows, func(want []string) bool {
		for i, c := range a.Columns {
			if !same(c.Kind, got[i], want[i], t) {
				return false
			}
		}
		return true
	})
}

// same reports whether two values of a kind are equal within the tolerance.
func same(k Kind, got, want string, t Tolerance) bool {
	switch k {
	case Text:
		return strings.Trim(got, " ") == strings.Trim(want, " ")
	case Date:
		return day(got) == day(want)
	}
	if got == want {
		return true
	}
	g, err1 := strconv.ParseFloat(got, 64)
	w, err2 := strconv.ParseFloat(want, 64)
	if err1 != nil || err2 != nil {
		return false
	}
	if k == Whole {
		return g == w
	}
	const representation = 1e-9 // the error of two decimal digits in binary
	return math.Abs(g-w) <= max(t.Absolute, t.Relative*math.Abs(w))+representation
}

// day returns a date without a midnight time.
func day(text string) string {
	if len(text) > len("2006-01-02") {
		date, rest := text[:len("2006-01-02")], text[len("2006-01-02"):]
		if strings.Trim(rest, " T:0Z+.") == "" {
			return date
		}
	}
	return text
}
