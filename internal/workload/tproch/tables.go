package tproch

import (
	"sledge/internal/schema"
	"sledge/internal/workload/tproch/dbgen"
)

// tables returns the eight tables of TPC-H 1.4 in build order: the tables that take longest come
// first, so that builders end together. Their names and the order of their columns are the
// standard's.
func (o *Options) tables() []schema.Table {
	size := o.size()
	var list []schema.Table
	for _, t := range built {
		rows := size.Count(t.table)
		each := t.chunk
		// A build log with more rows would not make resuming better.
		const most = 2000
		each = max(each, (rows+most-1)/most)
		chunks := int((rows + each - 1) / each)
		list = append(list, schema.Table{
			Name: t.table.String(), Columns: t.columns, Key: t.key,
			Size: rows * t.rows, Chunks: chunks,
			Rows: func(chunk int) schema.RowSource {
				first := int64(chunk) * each
				return size.Source(t.table, dbgen.LoadText, first+1, min(each, rows-first))
			},
		})
	}
	return list
}

// unbuildable refuses scale factors at which rows of partsupp have equal keys.
func unbuildable(options any) (option, why string) {
	size, err := dbgen.NewScale(options.(*Options).Scale.factor)
	if err == nil && size.RepeatsSuppliers() {
		return "scale_factor", "at this scale factor a part has the same supplier twice, as in dbgen's rows, and the key of partsupp forbids it: take 0.01, or 0.024 or more"
	}
	return "", ""
}

// size returns the sizes of all tables.
func (o *Options) size() dbgen.Scale {
	size, err := dbgen.NewScale(o.Scale.factor)
	if err != nil {
		panic(err) // invalid scale factors were refused at binding
	}
	return size
}

// table describes a table without its rows.
type table struct {
	table   dbgen.Table
	rows    int64 // rows for each unit of the table's ranges: about four lines for an order
	chunk   int64 // smallest number of rows that a builder takes at a time
	columns []schema.Column
	key     []string
}

var built = []table{
	{dbgen.LineItem, 4, 37_500, []schema.Column{
		bigint("l_orderkey"), integer("l_partkey"), integer("l_suppkey"), integer("l_linenumber"),
		money("l_quantity"), money("l_extendedprice"), money("l_discount"), money("l_tax"),
		char("l_returnflag", 1), char("l_linestatus", 1), date("l_shipdate"), date("l_commitdate"), date("l_receiptdate"),
		char("l_shipinstruct", 25), char("l_shipmode", 10), varchar("l_comment", 44),
	}, []string{"l_orderkey", "l_linenumber"}},
	{dbgen.Orders, 1, 150_000, []schema.Column{
		bigint("o_orderkey"), integer("o_custkey"), char("o_orderstatus", 1), money("o_totalprice"), date("o_orderdate"),
		char("o_orderpriority", 15), char("o_clerk", 15), integer("o_shippriority"), varchar("o_comment", 79),
	}, []string{"o_orderkey"}},
	{dbgen.PartSupp, 1, 100_000, []schema.Column{
		integer("ps_partkey"), integer("ps_suppkey"), integer("ps_availqty"), money("ps_supplycost"), varchar("ps_comment", 199),
	}, []string{"ps_partkey", "ps_suppkey"}},
	{dbgen.Part, 1, 100_000, []schema.Column{
		integer("p_partkey"), varchar("p_name", 55), char("p_mfgr", 25), char("p_brand", 10), varchar("p_type", 25),
		integer("p_size"), char("p_container", 10), money("p_retailprice"), varchar("p_comment", 23),
	}, []string{"p_partkey"}},
	{dbgen.Customer, 1, 75_000, []schema.Column{
		integer("c_custkey"), varchar("c_name", 25), varchar("c_address", 40), integer("c_nationkey"), char("c_phone", 15),
		money("c_acctbal"), char("c_mktsegment", 10), varchar("c_comment", 117),
	}, []string{"c_custkey"}},
	{dbgen.Supplier, 1, 50_000, []schema.Column{
		integer("s_suppkey"), char("s_name", 25), varchar("s_address", 40), integer("s_nationkey"), char("s_phone", 15),
		money("s_acctbal"), varchar("s_comment", 101),
	}, []string{"s_suppkey"}},
	{dbgen.Nation, 1, 25, []schema.Column{
		integer("n_nationkey"), char("n_name", 25), integer("n_regionkey"), varchar("n_comment", 152),
	}, []string{"n_nationkey"}},
	{dbgen.Region, 1, 5, []schema.Column{
		integer("r_regionkey"), char("r_name", 25), varchar("r_comment", 152),
	}, []string{"r_regionkey"}},
}

func integer(name string) schema.Column { return schema.Column{Name: name, Type: schema.Integer} }

func bigint(name string) schema.Column { return schema.Column{Name: name, Type: schema.BigInteger} }

func date(name string) schema.Column { return schema.Column{Name: name, Type: schema.Date} }

func char(name string, size int) schema.Column {
	return schema.Column{Name: name, Type: schema.Char, Size: size}
}

func varchar(name string, size int) schema.Column {
	return schema.Column{Name: name, Type: schema.Varchar, Size: size}
}

// money is a number of hundredths, as all decimals of TPC-H are (1.3.1).
func money(name string) schema.Column {
	return schema.Column{Name: name, Type: schema.Decimal, Size: 12, Scale: 2}
}
