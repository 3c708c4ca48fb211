package tprocc

import (
	"slices"

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// answersOfServer is Users.Answers: the answers to the calls of Sledge's functions, or the calls of its
// procedures, whose answers are recorded. The values are typical of the rows of TPC-C 4.3.3.1, because
// their lengths cost the client time.
func answersOfServer(sql *sqlfile.Library) map[string]database.Answer {
	kind, answers := "function", functionAnswers
	if !sql.Has(kind + "." + routineNames[newOrder]) {
		kind, answers = "procedure", [kinds]database.Answer{}
	}
	if !sql.Has(kind + "." + routineNames[newOrder]) {
		return nil
	}
	installed := database.Answer{Columns: columns(schema.Varchar, "name", "kind", "maker", "signature", "fits")}
	all := map[string]database.Answer{
		"limits":       {Columns: columns(schema.Integer, "max_w_id"), Rows: [][]string{{"1000"}}},
		"seed_session": {},
	}
	for k, name := range routineNames {
		installed.Rows = append(installed.Rows, []string{name, kind, sledge, name, "true"})
		answer := answers[k]
		answer.Ends = true
		all[kind+"."+name] = answer
	}
	all["installed_routines"] = installed
	return all
}

// columns returns columns of one type.
func columns(t schema.Type, names ...string) (list []schema.Column) {
	for _, name := range names {
		list = append(list, schema.Column{Name: name, Type: t})
	}
	return list
}

// functionAnswers are the answers to calls of Sledge's functions, by kind of transaction. An order has
// ten lines, which is the mean.
var functionAnswers = [kinds]database.Answer{
	newOrder:   {Columns: columns(schema.Integer, "no_d_next_o_id"), Rows: [][]string{{"1"}}},
	payment:    {Columns: columns(schema.Integer, "p_c_id"), Rows: [][]string{{"1042"}}},
	delivery:   {Columns: columns(schema.Integer, "delivered"), Rows: [][]string{{"1"}}},
	stockLevel: {Columns: columns(schema.Integer, "stock_count"), Rows: [][]string{{"17"}}},
	orderStatus: {
		Columns: []schema.Column{
			{Name: "ol_i_id", Type: schema.Integer},
			{Name: "ol_supply_w_id", Type: schema.Integer},
			{Name: "ol_quantity", Type: schema.SmallInteger},
			{Name: "ol_amount", Type: schema.Decimal},
			{Name: "ol_delivery_d", Type: schema.Timestamp},
			{Name: "out_os_c_id", Type: schema.Integer},
			{Name: "out_os_c_last", Type: schema.Varchar},
			{Name: "os_c_first", Type: schema.Varchar},
			{Name: "os_c_middle", Type: schema.Varchar},
			{Name: "os_c_balance", Type: schema.Decimal},
			{Name: "os_o_id", Type: schema.Integer},
			{Name: "os_entdate", Type: schema.Timestamp},
			{Name: "os_o_carrier_id", Type: schema.Integer},
		},
		Rows: slices.Repeat([][]string{{
			"48123", "17", "5", "312.45", "2026-11-22 09:02:00.123456+00", "1042", "BARBARBAR", "kTz0Q3aVnB1x", "OE", "-1250.75", "2987",
			"2026-11-22 09:02:00", "7",
		}}, 10),
	},
}
