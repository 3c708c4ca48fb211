package tprocc

import (
	"fmt"
	"time"

	"sledge/internal/schema"
)

// The sizes of the population (TPC-C 1.2.1 and 4.3.3.1).
const (
	Items                 = 100_000
	StockPerWarehouse     = Items
	DistrictsPerWarehouse = 10
	CustomersPerDistrict  = 3000
	OrdersPerDistrict     = CustomersPerDistrict
	FirstNewOrder         = 2101 // orders from this number on are not delivered

	fewestLines, mostLines = 5, 15 // O_OL_CNT
	meanLines              = (fewestLines + mostLines) / 2
)

// The number of rows that a builder takes at a time, for tables that are not divided by warehouse.
const (
	itemsPerChunk      = 10_000
	warehousesPerChunk = 1000
)

// Population determines the initial rows: equal Populations generate equal rows, in any order and
// in any process. The rows of a warehouse do not depend on the number of warehouses.
type Population struct {
	Warehouses int
	Seed       uint64
	LoadTime   time.Time // every date in the rows, to the second, in UTC
}

// Tables returns the nine tables of TPC-C 1.3 in build order: the tables that take longest come
// first, so that builders end together. Names and types are TPROC-C's, so programs for TPROC-C can
// share schemas. The key of stock keeps a warehouse's stock together.
func (p Population) Tables() []schema.Table {
	now := p.LoadTime.UTC().Format(time.DateTime)
	w := int64(p.Warehouses)
	few := (p.Warehouses + warehousesPerChunk - 1) / warehousesPerChunk
	return []schema.Table{
		{
			Name: "order_line", Columns: orderLineColumns(), Key: []string{"ol_w_id", "ol_d_id", "ol_o_id", "ol_number"},
			Size:   w * DistrictsPerWarehouse * OrdersPerDistrict * meanLines,
			Chunks: p.Warehouses,
			Rows:   func(chunk int) schema.RowSource { return newOrderLineRows(p.Seed, chunk, now) },
		},
		{
			Name: "stock", Columns: stockColumns(), Key: []string{"s_w_id", "s_i_id"},
			Size:   w * StockPerWarehouse,
			Chunks: p.Warehouses,
			Rows:   func(chunk int) schema.RowSource { return newStockRows(p.Seed, chunk) },
		},
		{
			Name: "customer", Columns: customerColumns(), Key: []string{"c_w_id", "c_d_id", "c_id"},
			Size:   w * DistrictsPerWarehouse * CustomersPerDistrict,
			Chunks: p.Warehouses,
			Rows:   func(chunk int) schema.RowSource { return newCustomerRows(p.Seed, chunk, now) },
		},
		{
			Name: "history", Columns: historyColumns(),
			Size:   w * DistrictsPerWarehouse * CustomersPerDistrict,
			Chunks: p.Warehouses,
			Rows:   func(chunk int) schema.RowSource { return newHistoryRows(p.Seed, chunk, now) },
		},
		{
			Name: "orders", Columns: ordersColumns(), Key: []string{"o_w_id", "o_d_id", "o_id"},
			Size:   w * DistrictsPerWarehouse * OrdersPerDistrict,
			Chunks: p.Warehouses,
			Rows:   func(chunk int) schema.RowSource { return newOrderRows(p.Seed, chunk, now) },
		},
		{
			Name: "new_order", Columns: newOrderColumns(), Key: []string{"no_w_id", "no_d_id", "no_o_id"},
			Size:   w * DistrictsPerWarehouse * (OrdersPerDistrict - FirstNewOrder + 1),
			Chunks: p.Warehouses,
			Rows:   func(chunk int) schema.RowSource { return newUndeliveredRows(chunk) },
		},
		{
			Name: "item", Columns: itemColumns(), Key: []string{"i_id"},
			Size:   Items,
			Chunks: Items / itemsPerChunk,
			Rows:   func(chunk int) schema.RowSource { return newItemRows(p.Seed, chunk) },
		},
		{
			Name: "district", Columns: districtColumns(), Key: []string{"d_w_id", "d_id"},
			Size:   w * DistrictsPerWarehouse,
			Chunks: few,
			Rows:   func(chunk int) schema.RowSource { return newDistrictRows(p.Seed, chunk, p.Warehouses) },
		},
		{
			Name: "warehouse", Columns: warehouseColumns(), Key: []string{"w_id"},
			Size:   w,
			Chunks: few,
			Rows:   func(chunk int) schema.RowSource { return newWarehouseRows(p.Seed, chunk, p.Warehouses) },
		},
	}
}

func itemColumns() []schema.Column {
	return []schema.Column{
		integer("i_id"), integer("i_im_id"), varchar("i_name", 24), decimal("i_price", 5, 2), varchar("i_data", 50),
	}
}

func warehouseColumns() []schema.Column {
	return append([]schema.Column{
		integer("w_id"), decimal("w_ytd", 16, 2), decimal("w_tax", 4, 4), varchar("w_name", 10),
	}, addressColumns("w_")...)
}

func districtColumns() []schema.Column {
	return append([]schema.Column{
		small("d_id"), integer("d_w_id"), decimal("d_ytd", 12, 2), decimal("d_tax", 4, 4), integer("d_next_o_id"),
		varchar("d_name", 10),
	}, addressColumns("d_")...)
}

func stockColumns() []schema.Column {
	columns := []schema.Column{integer("s_i_id"), integer("s_w_id"), small("s_quantity")}
	for district := range DistrictsPerWarehouse {
		columns = append(columns, char(fmt.Sprintf("s_dist_%02d", district+1), 24))
	}
	return append(columns,
		schema.Column{Name: "s_ytd", Type: schema.BigInteger},
		small("s_order_cnt"), small("s_remote_cnt"), varchar("s_data", 50))
}

func customerColumns() []schema.Column {
	columns := []schema.Column{
		integer("c_id"), small("c_d_id"), integer("c_w_id"), varchar("c_first", 16), varchar("c_last", 16), char("c_middle", 2),
	}
	columns = append(columns, addressColumns("c_")...)
	return append(columns,
		char("c_phone", 16), timestamp("c_since"), char("c_credit", 2), decimal("c_credit_lim", 12, 2),
		decimal("c_discount", 4, 4), decimal("c_balance", 12, 2), decimal("c_ytd_payment", 12, 2),
		small("c_payment_cnt"), small("c_delivery_cnt"), varchar("c_data", 500))
}

func historyColumns() []schema.Column {
	return []schema.Column{
		null(integer("h_c_id")), small("h_c_d_id"), integer("h_c_w_id"), small("h_d_id"), integer("h_w_id"),
		timestamp("h_date"), decimal("h_amount", 6, 2), varchar("h_data", 24),
	}
}

func ordersColumns() []schema.Column {
	return []schema.Column{
		integer("o_id"), integer("o_w_id"), small("o_d_id"), integer("o_c_id"), null(small("o_carrier_id")),
		small("o_ol_cnt"), small("o_all_local"), timestamp("o_entry_d"),
	}
}

func newOrderColumns() []schema.Column {
	return []schema.Column{integer("no_w_id"), small("no_d_id"), integer("no_o_id")}
}

// orderLineColumns keeps the order in which TPROC-C's routine for SQL Server writes the columns
// without naming them, and the two columns that may be NULL.
func orderLineColumns() []schema.Column {
	return []schema.Column{
		integer("ol_o_id"), small("ol_d_id"), integer("ol_w_id"), small("ol_number"), integer("ol_i_id"),
		null(timestamp("ol_delivery_d")), null(decimal("ol_amount", 6, 2)), integer("ol_supply_w_id"), small("ol_quantity"),
		null(char("ol_dist_info", 24)),
	}
}

// addressColumns are the five columns of an address (TPC-C 1.3).
func addressColumns(prefix string) []schema.Column {
	return []schema.Column{
		varchar(prefix+"street_1", 20), varchar(prefix+"street_2", 20), varchar(prefix+"city", 20),
		char(prefix+"state", 2), char(prefix+"zip", 9),
	}
}

func integer(name string) schema.Column { return schema.Column{Name: name, Type: schema.Integer} }

func small(name string) schema.Column { return schema.Column{Name: name, Type: schema.SmallInteger} }

func timestamp(name string) schema.Column { return schema.Column{Name: name, Type: schema.Timestamp} }

func char(name string, size int) schema.Column {
	return schema.Column{Name: name, Type: schema.Char, Size: size}
}

func varchar(name string, size int) schema.Column {
	return schema.Column{Name: name, Type: schema.Varchar, Size: size}
}

func decimal(name string, size, scale int) schema.Column {
	return schema.Column{Name: name, Type: schema.Decimal, Size: size, Scale: scale}
}

func null(c schema.Column) schema.Column {
	c.Null = true
	return c
}
