package tprocc_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sledge/internal/schema"
	"sledge/internal/workload/tprocc"
)

const (
	warehouses = 1000 // enough rows of warehouse for statistics
	alphabet   = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// rowsOf are the values of a table's rows.
type rowsOf struct {
	table schema.Table
	rows  [][]string
}

// column returns the values of a column in the rows that where chooses; nil
// chooses all.
func (r rowsOf) column(name string, where func(row []string) bool) []string {
	i := slices.Index(r.table.ColumnNames(), name)
	var values []string
	for _, row := range r.rows {
		if where == nil || where(row) {
			values = append(values, row[i])
		}
	}
	return values
}

// TestRows checks all rows of items, warehouses and districts, and the rows of warehouse 2 of the
// other tables.
func TestRows(t *testing.T) {
	t.Parallel()
	all := map[string]rowsOf{}
	for _, table := range tables(1, warehouses) {
		chunks := []int{0}
		switch table.Chunks {
		case warehouses:
			chunks = []int{1}
		case 10:
			chunks = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		}
		read := rowsOf{table: table}
		for _, chunk := range chunks {
			read.rows = append(read.rows, parse(t, table, chunk)...)
		}
		all[table.Name] = read
	}
	t.Run("have the cardinalities of the standard", func(t *testing.T) { checkCardinalities(t, all) })
	t.Run("fit their columns", func(t *testing.T) { checkColumns(t, all) })
	t.Run("have keys of their own", func(t *testing.T) { checkKeys(t, all) })
	t.Run("hold what the standard says", func(t *testing.T) { checkRules(t, all) })
	t.Run("have every last name in every district", func(t *testing.T) { checkLastNames(t, all["customer"]) })
	t.Run("have bad credit in one of ten at random", func(t *testing.T) { checkBadCredit(t, all["customer"]) })
	t.Run("are original in one of ten at random", func(t *testing.T) { checkOriginal(t, all) })
	t.Run("give every customer one order", func(t *testing.T) { checkPermutation(t, all["orders"]) })
	t.Run("have as many lines as their order says", func(t *testing.T) { checkLines(t, all) })
	t.Run("add up", func(t *testing.T) { checkSums(t, all) })
	t.Run("have letters that are uniform and independent", func(t *testing.T) { checkLetters(t, all["stock"]) })
}

// checkCardinalities checks TPC-C 1.2.1 and 4.3.3.1.
func checkCardinalities(t *testing.T, all map[string]rowsOf) {
	for name, want := range map[string]int{
		"item": 100_000, "warehouse": warehouses, "district": 10 * warehouses, "stock": 100_000,
		"customer": 30_000, "history": 30_000, "orders": 30_000, "new_order": 9_000,
	} {
		if got := len(all[name].rows); got != want {
			t.Errorf("%s: got %d rows, want %d", name, got, want)
		}
	}
	// 30,000 orders have 10 lines each on average. The standard deviation of one order is sqrt(10),
	// that of the sum 550.
	if got := len(all["order_line"].rows); got < 297_000 || got > 303_000 {
		t.Errorf("order_line: got %d rows, want about 300,000", got)
	}
	if len(all) != 9 {
		t.Errorf("got %d tables, want 9", len(all))
	}
}

func checkColumns(t *testing.T, all map[string]rowsOf) {
	for _, read := range all {
		for i, column := range read.table.Columns {
			for _, row := range read.rows {
				if err := fits(row[i], column); err != nil {
					t.Errorf("%s: %v", column.Name, err)
					break
				}
			}
		}
	}
}

func fits(value string, c schema.Column) error {
	if value == `\N` {
		if !c.Null {
			return errors.New("got NULL, want a value")
		}
		return nil
	}
	switch c.Type {
	case schema.SmallInteger:
		_, err := strconv.ParseInt(value, 10, 16)
		return err
	case schema.Integer, schema.BigInteger:
		_, err := strconv.ParseInt(value, 10, 32)
		return err
	case schema.Decimal:
		whole, part, _ := strings.Cut(strings.TrimPrefix(value, "-"), ".")
		if len(part) != c.Scale || len(strings.TrimPrefix(whole, "0")) > c.Size-c.Scale {
			return fmt.Errorf("got %s, want at most %d digits, %d of them after the point", value, c.Size, c.Scale)
		}
	case schema.Char:
		if len(value) != c.Size {
			return fmt.Errorf("got %q, want %d characters", value, c.Size)
		}
	case schema.Varchar:
		if len(value) > c.Size {
			return fmt.Errorf("got %q, want at most %d characters", value, c.Size)
		}
	case schema.Timestamp:
		if value != loadTimeText {
			return fmt.Errorf("got %q, want %q", value, loadTimeText)
		}
	}
	return nil
}

func checkKeys(t *testing.T, all map[string]rowsOf) {
	for name, read := range all {
		if len(read.table.Key) == 0 {
			if name != "history" {
				t.Errorf("%s has no key", name)
			}
			continue
		}
		seen := make(map[string]bool, len(read.rows))
		for _, row := range read.rows {
			var key strings.Builder
			for _, column := range read.table.Key {
				key.WriteString(row[slices.Index(read.table.ColumnNames(), column)] + "\t")
			}
			if seen[key.String()] {
				t.Errorf("%s: two rows have the key %q", name, key.String())
				break
			}
			seen[key.String()] = true
		}
	}
}

// rule checks a column's values against the standard.
type rule func(values []string) error

// checkRules checks every column by TPC-C 4.3.3.1. The other checks compare columns with each
// other.
func checkRules(t *testing.T, all map[string]rowsOf) {
	delivered := func(row []string) bool { return number(row[0]) < 2101 } // o_id comes first
	waiting := func(row []string) bool { return !delivered(row) }
	always := func([]string) bool { return true }
	checked := map[string]bool{}
	for _, tt := range []struct {
		columns string
		where   func(row []string) bool
		rule    rule
	}{
		{"i_id s_i_id", always, each(1, 100_000)},
		{"i_im_id", always, numbers(1, 10_000)},
		{"i_name", always, letters(14, 24)},
		{"i_price", always, decimals(1_00, 100_00)},
		{"i_data s_data", always, letters(26, 50)},

		{"w_id", always, each(1, warehouses)},
		{"w_name d_name", always, letters(6, 10)},
		{"w_street_1 w_street_2 w_city d_street_1 d_street_2 d_city c_street_1 c_street_2 c_city", always, letters(10, 20)},
		{"w_state d_state c_state", always, letters(2, 2)},
		{"w_zip d_zip c_zip", always, zip},
		{"w_tax d_tax", always, decimals(0, 2000)},
		{"w_ytd", always, constant("300000.00")},

		{"s_w_id", always, constant("2")},
		{"s_quantity", always, numbers(10, 100)},
		{"s_dist_01 s_dist_02 s_dist_03 s_dist_04 s_dist_05", always, letters(24, 24)},
		{"s_dist_06 s_dist_07 s_dist_08 s_dist_09 s_dist_10", always, letters(24, 24)},
		{"s_ytd s_order_cnt s_remote_cnt", always, constant("0")},

		{"d_id", always, each(1, 10)},
		{"d_w_id", always, each(1, warehouses)},
		{"d_ytd", always, constant("30000.00")},
		{"d_next_o_id", always, constant("3001")},

		{"c_id h_c_id", always, each(1, 3000)},
		{"c_d_id h_c_d_id h_d_id", always, each(1, 10)},
		{"c_w_id h_c_w_id h_w_id", always, constant("2")},
		{"c_last", func(row []string) bool { return number(row[0]) > 1000 }, drawnNames},
		{"c_middle", always, constant("OE")},
		{"c_first", always, letters(8, 16)},
		{"c_phone", always, digits(16)},
		{"c_since h_date o_entry_d", always, constant(loadTimeText)},
		{"c_credit", func(row []string) bool {
			return row[slices.Index(all["customer"].table.ColumnNames(), "c_credit")] != "BC"
		}, constant("GC")},
		{"c_credit_lim", always, constant("50000.00")},
		{"c_discount", always, decimals(0, 5000)},
		{"c_balance", always, constant("-10.00")},
		{"c_ytd_payment h_amount", always, constant("10.00")},
		{"c_payment_cnt", always, constant("1")},
		{"c_delivery_cnt", always, constant("0")},
		{"c_data", always, letters(300, 500)},
		{"h_data", always, letters(12, 24)},

		{"o_id o_c_id", always, each(1, 3000)},
		{"o_w_id no_w_id ol_w_id ol_supply_w_id", always, constant("2")},
		{"o_d_id no_d_id", always, each(1, 10)},
		{"o_carrier_id", delivered, numbers(1, 10)},
		{"o_carrier_id", waiting, constant(`\N`)},
		{"o_ol_cnt", always, numbers(5, 15)},
		{"o_all_local", always, constant("1")},
		{"no_o_id", always, each(2101, 3000)},

		{"ol_o_id", always, within(1, 3000)},
		{"ol_d_id", always, within(1, 10)},
		{"ol_number", always, within(1, 15)},
		{"ol_i_id", always, numbers(1, 100_000)},
		{"ol_delivery_d", delivered, constant(loadTimeText)},
		{"ol_delivery_d", waiting, constant(`\N`)},
		{"ol_amount", delivered, constant("0.00")},
		{"ol_amount", waiting, decimals(1, 999_999)},
		{"ol_quantity", always, constant("5")},
		{"ol_dist_info", always, letters(24, 24)},
	} {
		for name := range strings.FieldsSeq(tt.columns) {
			read := holder(all, name)
			if read.table.Name == "" {
				t.Errorf("no table has a column %s", name)
				continue
			}
			checked[name] = true
			values := read.column(name, tt.where)
			if len(values) == 0 {
				t.Errorf("%s: no row to check", name)
				continue
			}
			if err := tt.rule(values); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for name, read := range all {
		for _, column := range read.table.ColumnNames() {
			if !checked[column] {
				t.Errorf("%s: no rule for %s", name, column)
			}
		}
	}
}

// holder returns the table that has the column.
func holder(all map[string]rowsOf, column string) rowsOf {
	for _, read := range all {
		if slices.Contains(read.table.ColumnNames(), column) {
			return read
		}
	}
	return rowsOf{}
}

func constant(want string) rule {
	return func(values []string) error {
		for _, got := range values {
			if got != want {
				return fmt.Errorf("got %s, want %s", got, want)
			}
		}
		return nil
	}
}

// within wants every number to be in a range.
func within(low, high int) rule {
	return func(values []string) error {
		for _, value := range values {
			if n := number(value); n < low || n > high {
				return fmt.Errorf("got %d, want %d..%d", n, low, high)
			}
		}
		return nil
	}
}

// each wants every number of a range equally often.
func each(low, high int) rule {
	return func(values []string) error {
		counts := map[string]int{}
		for _, value := range values {
			counts[value]++
		}
		for n := low; n <= high; n++ {
			if got, want := counts[strconv.Itoa(n)], len(values)/(high-low+1); got != want {
				return fmt.Errorf("got %d rows of %d, want %d", got, n, want)
			}
		}
		return nil
	}
}

// numbers wants numbers that are uniform in a range.
func numbers(low, high int) rule {
	return func(values []string) error {
		drawn := make([]int, len(values))
		for i, value := range values {
			drawn[i] = number(value)
		}
		return uniform(drawn, low, high)
	}
}

// decimals is numbers for values with a decimal point, which it removes.
func decimals(low, high int) rule {
	return func(values []string) error {
		bare := make([]string, len(values))
		for i, value := range values {
			bare[i] = strings.Replace(value, ".", "", 1)
		}
		return numbers(low, high)(bare)
	}
}

// letters wants a-strings whose length is uniform in a range (TPC-C 4.3.2.2).
func letters(low, high int) rule {
	return func(values []string) error {
		lengths := make([]int, len(values))
		for i, value := range values {
			lengths[i] = len(value)
			if strings.Trim(value, alphabet) != "" {
				return fmt.Errorf("got %q, want letters and digits", value)
			}
		}
		return uniform(lengths, low, high)
	}
}

// digits wants n-strings of a length, with uniform digits in every place.
func digits(length int) rule {
	return func(values []string) error {
		for place := range length {
			drawn := make([]int, len(values))
			for i, value := range values {
				if len(value) != length {
					return fmt.Errorf("got %q, want %d digits", value, length)
				}
				drawn[i] = int(value[place]) - '0'
			}
			if err := uniform(drawn, 0, 9); err != nil {
				return fmt.Errorf("place %d: %w", place, err)
			}
		}
		return nil
	}
}

// zip wants four random digits and 11111 (TPC-C 4.3.2.7).
func zip(values []string) error {
	heads := make([]string, len(values))
	for i, value := range values {
		head, found := strings.CutSuffix(value, "11111")
		if !found {
			return fmt.Errorf("got %q, want it to end in 11111", value)
		}
		heads[i] = head
	}
	return digits(4)(heads)
}

// drawnNames wants last names drawn by NURand with the constant of the load.
func drawnNames(values []string) error {
	drawn := make([]int, len(values))
	for i, value := range values {
		n, found := nameNumbers()[value]
		if !found {
			return fmt.Errorf("%s is not a last name", value)
		}
		drawn[i] = n
	}
	return nuRandDistributed(drawn, 255, 0, 999, 123)
}

func nameNumbers() map[string]int {
	all := make(map[string]int, 1000)
	for n := range 1000 {
		all[tprocc.LastName(n)] = n
	}
	return all
}

// checkLastNames checks that a district's first thousand customers have the names
// 0..999 in order (TPC-C 4.3.3.1).
func checkLastNames(t *testing.T, customers rowsOf) {
	ids, names := customers.column("c_id", nil), customers.column("c_last", nil)
	for i, id := range ids {
		if n := number(id); n <= 1000 && names[i] != tprocc.LastName(n-1) {
			t.Fatalf("customer %d: got the name %s, want %s", n, names[i], tprocc.LastName(n-1))
		}
	}
}

// checkBadCredit checks that 300 random customers of each district have bad credit (TPC-C 4.3.3.1).
func checkBadCredit(t *testing.T, customers rowsOf) {
	districts, ids := customers.column("c_d_id", nil), customers.column("c_id", nil)
	bad := map[string]int{}
	var who []int
	for i, credit := range customers.column("c_credit", nil) {
		if credit == "BC" {
			bad[districts[i]]++
			who = append(who, number(ids[i]))
		}
	}
	for district := 1; district <= 10; district++ {
		if got := bad[strconv.Itoa(district)]; got != 300 {
			t.Errorf("district %d: got %d with bad credit, want 300", district, got)
		}
	}
	if err := uniform(who, 1, 3000); err != nil {
		t.Errorf("customers with bad credit: %v", err)
	}
}

// checkOriginal checks that exactly a tenth of items and stocks are original, that they are random
// rows, and that the word is in a random place (TPC-C 4.3.3.1).
func checkOriginal(t *testing.T, all map[string]rowsOf) {
	for table, data := range map[string]string{"item": "i_data", "stock": "s_data"} {
		var ids []int
		places := map[int][]int{} // by length
		for i, text := range all[table].column(data, nil) {
			if place := strings.Index(text, "ORIGINAL"); place >= 0 {
				ids = append(ids, number(all[table].rows[i][0]))
				places[len(text)] = append(places[len(text)], place)
			}
		}
		if len(ids) != 10_000 {
			t.Errorf("%s: got %d original rows, want 10000", table, len(ids))
		}
		if err := uniform(ids, 1, 100_000); err != nil {
			t.Errorf("%s: original rows: %v", table, err)
		}
		for _, length := range slices.Sorted(maps.Keys(places)) {
			if err := uniform(places[length], 0, length-len("ORIGINAL")); err != nil {
				t.Errorf("%s: places of ORIGINAL in %d characters: %v", table, length, err)
			}
		}
	}
}

// checkPermutation checks that the customers of each district's orders are a random permutation
// (TPC-C 4.3.2.6), which differs from that of every other district.
func checkPermutation(t *testing.T, orders rowsOf) {
	customers := orders.column("o_c_id", nil)
	for d := range 10 {
		this := customers[d*3000 : (d+1)*3000]
		if err := each(1, 3000)(this); err != nil {
			t.Errorf("district %d: %v", d+1, err)
		}
		// Two independent permutations agree in one place on average, and in ten places once in ten
		// million cases. The same holds for a comparison with the identity.
		trivial := make([]string, 3000)
		for i := range trivial {
			trivial[i] = strconv.Itoa(i + 1)
		}
		if n := agreements(this, trivial); n >= 10 {
			t.Errorf("district %d: got %d customers with their own number's order, want about one", d+1, n)
		}
		for e := range d {
			if n := agreements(this, customers[e*3000:(e+1)*3000]); n >= 10 {
				t.Errorf("districts %d and %d have the same customer in %d orders, want about one", e+1, d+1, n)
			}
		}
	}
}

func agreements(a, b []string) (n int) {
	for i := range a {
		if a[i] == b[i] {
			n++
		}
	}
	return n
}

// checkLines checks that the lines of an order are numbered from one to its
// O_OL_CNT (TPC-C 3.3.2.4 and 3.3.2.6).
func checkLines(t *testing.T, all map[string]rowsOf) {
	lines := all["order_line"]
	districts, numbers := lines.column("ol_d_id", nil), lines.column("ol_number", nil)
	next := 0
	for _, order := range all["orders"].rows {
		id, district, count := order[0], order[2], number(order[5])
		for n := 1; n <= count; n++ {
			if next == len(lines.rows) {
				t.Fatalf("there are no lines of order %s of district %s", id, district)
			}
			if lines.rows[next][0] != id || districts[next] != district || number(numbers[next]) != n {
				t.Fatalf("got line %s of order %s of district %s, want %d of %s of %s",
					numbers[next], lines.rows[next][0], districts[next], n, id, district)
			}
			next++
		}
	}
	if next != len(lines.rows) {
		t.Errorf("%d lines have no order", len(lines.rows)-next)
	}
}

// checkSums checks the consistency conditions that are about money: 1, 8, 9,
// 10 and 12 (TPC-C 3.3.2).
func checkSums(t *testing.T, all map[string]rowsOf) {
	type customer struct{ district, id string }
	paid, toDistrict := map[customer]int{}, map[string]int{}
	toWarehouse := 0
	history := all["history"]
	amounts, districts, payers := history.column("h_amount", nil), history.column("h_d_id", nil), history.column("h_c_d_id", nil)
	for i, row := range history.rows {
		paid[customer{payers[i], row[0]}] += cents(amounts[i])
		toDistrict[districts[i]] += cents(amounts[i])
		toWarehouse += cents(amounts[i])
	}

	type order struct{ district, id string }
	buyers := map[order]customer{}
	for _, row := range all["orders"].rows {
		buyers[order{row[2], row[0]}] = customer{row[2], row[3]}
	}
	owed := map[customer]int{}
	lines := all["order_line"]
	lineAmounts, dates := lines.column("ol_amount", nil), lines.column("ol_delivery_d", nil)
	for i, row := range lines.rows {
		if dates[i] != `\N` {
			owed[buyers[order{row[1], row[0]}]] += cents(lineAmounts[i])
		}
	}

	customers := all["customer"]
	balances, payments := customers.column("c_balance", nil), customers.column("c_ytd_payment", nil)
	for i, row := range customers.rows {
		who := customer{row[1], row[0]}
		if got, want := cents(balances[i]), owed[who]-paid[who]; got != want {
			t.Fatalf("customer %v: got a balance of %d cents, want %d", who, got, want)
		}
		if got, want := cents(balances[i])+cents(payments[i]), owed[who]; got != want {
			t.Fatalf("customer %v: got %d cents of balance and payments, want %d", who, got, want)
		}
	}

	perWarehouse := map[string]int{}
	districtYTD := all["district"].column("d_ytd", nil)
	for i, row := range all["district"].rows {
		perWarehouse[row[1]] += cents(districtYTD[i])
		if got, want := cents(districtYTD[i]), toDistrict[row[0]]; row[1] == "2" && got != want {
			t.Errorf("district %s: got %d cents year to date, want %d", row[0], got, want)
		}
	}
	for _, row := range all["warehouse"].rows {
		if got, want := cents(row[1]), perWarehouse[row[0]]; got != want {
			t.Errorf("warehouse %s: got %d cents year to date, want %d", row[0], got, want)
		}
		if got := cents(row[1]); row[0] == "2" && got != toWarehouse {
			t.Errorf("warehouse 2: got %d cents year to date, want %d", got, toWarehouse)
		}
	}
}

// checkLetters counts 24 million letters by their place in the string, pairs of neighbours that
// were drawn together, and pairs that were drawn separately.
func checkLetters(t *testing.T, stock rowsOf) {
	first := slices.Index(stock.table.ColumnNames(), "s_dist_01")
	var index [256]int
	for i := range alphabet {
		index[alphabet[i]] = i
	}
	const n = len(alphabet)
	var places [24][n]float64
	var pairs [2][n * n]float64
	var total float64
	for _, row := range stock.rows {
		for _, text := range row[first : first+10] {
			total++
			for place := range 24 {
				letter := index[text[place]]
				places[place][letter]++
				if place > 0 {
					pairs[place%2][index[text[place-1]]*n+letter]++
				}
			}
		}
	}
	for place := range places {
		if err := distributed(places[place][:], evenly(n, total)); err != nil {
			t.Errorf("place %d: %v", place, err)
		}
	}
	if err := distributed(pairs[1][:], evenly(n*n, 12*total)); err != nil {
		t.Errorf("pairs drawn together: %v", err)
	}
	if err := distributed(pairs[0][:], evenly(n*n, 11*total)); err != nil {
		t.Errorf("neighbours drawn apart: %v", err)
	}
}

func evenly(bins int, total float64) []float64 {
	return slices.Repeat([]float64{total / float64(bins)}, bins)
}

// number parses an integer. For other text it returns a number that is outside every range.
func number(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil {
		return -1 << 40
	}
	return n
}

func cents(value string) int { return number(strings.Replace(value, ".", "", 1)) }
