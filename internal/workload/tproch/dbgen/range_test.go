package dbgen_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sledge/internal/schema"
	"sledge/internal/workload/tproch/dbgen"
)

// Bulk loaders take a schema.RowSource.
var _ schema.RowSource = (*dbgen.Source)(nil)

// smallTables holds all tables at a small scale as text, and the offset at which each row begins,
// or each order of lineitem.
var smallTables = sync.OnceValue(func() (tables [8]struct {
	text   []byte
	begins []int
},
) {
	s, err := dbgen.NewScale(0.002)
	if err != nil {
		panic(err)
	}
	for _, table := range dbgen.Tables {
		source := s.Source(table, dbgen.Tbl, 1, s.Count(table))
		var text []byte
		var begins []int
		order := ""
		for {
			begin := len(text)
			var more bool
			if text, more = source.AppendRow(text); !more {
				break
			}
			key, _, _ := bytes.Cut(text[begin:], []byte("|"))
			if table != dbgen.LineItem || string(key) != order {
				begins = append(begins, begin)
			}
			order = string(key)
		}
		tables[table].text, tables[table].begins = text, append(begins, len(text))
	}
	return tables
})

// FuzzRange compares ranges of rows with the same rows of the whole table, as text and as values.
func FuzzRange(f *testing.F) {
	for table := range uint8(8) {
		f.Add(table, uint16(0), uint16(1), uint8(1))
		f.Add(table, uint16(3), uint16(2), uint8(1))
		f.Add(table, uint16(4), uint16(100), uint8(33))
		f.Add(table, uint16(65_535), uint16(17), uint8(5))
		f.Add(table, uint16(1), uint16(65_535), uint8(255))
	}
	s, err := dbgen.NewScale(0.002)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, number uint8, begin, size uint16, batch uint8) {
		table := dbgen.Table(number % 8)
		all := s.Count(table)
		if found := int64(len(smallTables()[table].begins) - 1); found != all {
			t.Fatalf("%s has %d rows or orders, want %d", table, found, all)
		}
		first := int64(begin)%all + 1
		count := min(int64(size), all-first+1)
		small := smallTables()[table]
		want := small.text[small.begins[first-1]:small.begins[first-1+count]]

		var tbl bytes.Buffer
		n, err := s.Source(table, dbgen.Tbl, first, count).WriteTo(&tbl)
		if err != nil || n != int64(len(want)) || !bytes.Equal(tbl.Bytes(), want) {
			t.Errorf("%d rows of %s from %d: got %d bytes and %v that differ from the %d of the whole", count, table, first, n, err, len(want))
		}
		if bytes.ContainsAny(want, "\\\t") {
			t.Errorf("%d rows of %s from %d contain characters that load text would have to escape", count, table, first)
		}
		var load bytes.Buffer
		if _, err := s.Source(table, dbgen.LoadText, first, count).WriteTo(&load); err != nil {
			t.Fatal(err)
		}
		asLoadText := bytes.ReplaceAll(bytes.ReplaceAll(want, []byte("|\n"), []byte("\n")), []byte("|"), []byte("\t"))
		if !bytes.Equal(load.Bytes(), asLoadText) {
			t.Errorf("%d rows of %s from %d: the load text differs", count, table, first)
		}
		if got := fromBatches(table, s.Source(table, dbgen.Tbl, first, count), 1+int(batch)); !bytes.Equal(got, want) {
			t.Errorf("%d rows of %s from %d: the values differ", count, table, first)
		}
	})
}

// fromBatches spells the values of batches as dbgen does.
func fromBatches(table dbgen.Table, source *dbgen.Source, most int) (text []byte) {
	columns := table.Columns()
	b := dbgen.NewBatch(len(columns))
	for source.Read(b, most) > 0 {
		for row := range b.Rows {
			for i, c := range columns {
				v := &b.Columns[i]
				switch c.Kind {
				case dbgen.Text:
					text = append(text, v.Text(row)...)
				case dbgen.Decimal:
					n, sign := v.Numbers[row], ""
					if n < 0 {
						n, sign = -n, "-"
					}
					text = fmt.Appendf(text, "%s%d.%02d", sign, n/100, n%100)
				case dbgen.Date:
					text = time.Unix(v.Numbers[row]*24*60*60, 0).UTC().AppendFormat(text, time.DateOnly)
				default:
					text = fmt.Append(text, v.Numbers[row])
				}
				text = append(text, '|')
			}
			text = append(text, '\n')
		}
	}
	return text
}

// TestRepeatsSuppliersSaysWhetherKeysRepeat compares RepeatsSuppliers, which checks a few parts,
// with the keys of all rows.
func TestRepeatsSuppliersSaysWhetherKeysRepeat(t *testing.T) {
	repeats := 0
	for thousandths := 1; thousandths <= 30; thousandths++ {
		scale, err := dbgen.NewScale(float64(thousandths) / 1000)
		if err != nil {
			t.Fatal(err)
		}
		keys, repeat := map[string]bool{}, false
		rows := scale.Source(dbgen.PartSupp, dbgen.Tbl, 1, scale.Count(dbgen.PartSupp))
		for row, more := rows.AppendRow(nil); more; row, more = rows.AppendRow(nil) {
			fields := strings.SplitN(string(row), "|", 3)
			key := fields[0] + "|" + fields[1]
			repeat = repeat || keys[key]
			keys[key] = true
		}
		if got := scale.RepeatsSuppliers(); got != repeat {
			t.Errorf("scale 0.%03d: got %t, and of %d keys some repeat: %t", thousandths, got, len(keys), repeat)
		}
		if repeat {
			repeats++
		}
	}
	if repeats == 0 || repeats == 30 {
		t.Errorf("keys repeat at %d of 30 scales: the test needs both cases", repeats)
	}
}
