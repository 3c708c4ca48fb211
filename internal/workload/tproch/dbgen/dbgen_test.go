package dbgen_test

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"sledge/internal/workload/tproch/dbgen"
)

// sums are the MD5 sums of dbgen's files, by scale factor.
var sums = map[float64]map[dbgen.Table]string{
	0.001: {
		dbgen.Customer: "4838fb47418882a3d617564c5a583641", dbgen.LineItem: "c9aec6ed54586bfca91ab61af604c177",
		dbgen.Orders: "2ebaccf1735e9b7641e4791fca0ad6de", dbgen.Part: "a07f0ea884e63b0c209efa3a75a3c4f7",
		dbgen.PartSupp: "bd0cfd8dcb384f75f27f2383da27fed6", dbgen.Supplier: "f0f59eaf71d314ab0bc605ede1d89e0f",
	},
	0.01: {
		dbgen.Customer: "a8aa97edad6d47b183a569759fbd3eec", dbgen.LineItem: "4c6d44350a1f7974f56f5d3d7091c2be",
		dbgen.Orders: "c8d2008fb47f47f9e56543d4cb0f4e6a", dbgen.Part: "9cce16188c241c25617ca5ed6191e37e",
		dbgen.PartSupp: "c6889c3ed0939ca02475f7fb410cbb50", dbgen.Supplier: "56e0621c472064c2a998757c70b44043",
	},
	0.1: {
		dbgen.Customer: "8f279b30fee7203e32886be01efd823b", dbgen.LineItem: "dec17abbc566d431f5808c5c9f81b8a5",
		dbgen.Orders: "2520d48234df183e47c57027a52007ee", dbgen.Part: "3f5dc86fbedff28bf1a88bea8341aa6f",
		dbgen.PartSupp: "e3bd40ee500c9cc88fd14a4dc904c09e", dbgen.Supplier: "85f567a75bd806f3ccff89341866ab1c",
	},
	1: {
		dbgen.Customer: "b662b705bc3ac183c1942367cf522e42", dbgen.LineItem: "e6368ad3f339bf1d4a3b8a1beba23870",
		dbgen.Orders: "62264a9feaa3a3fd59805910dfe18a30", dbgen.Part: "b7ca9b82dc3d9c6543a96faac588a281",
		dbgen.PartSupp: "1b531d9b3963dd72c920179b31135e84", dbgen.Supplier: "565f8733ecdb2faf654a3efe0a422957",
	},
}

// sumsOfFixed are the MD5 sums of the tables that are the same at every scale.
var sumsOfFixed = map[dbgen.Table]string{
	dbgen.Region: "c235841b00d29ad4f817771fcc851207", dbgen.Nation: "2f588e0b7fa72939b498c2abecd9fbbe",
}

// scale returns the scale of a valid factor.
func scale(t testing.TB, factor float64) dbgen.Scale {
	t.Helper()
	s, err := dbgen.NewScale(factor)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sum returns the MD5 sum of the output of write.
func sum(t testing.TB, write func(io.Writer) (int64, error)) string {
	t.Helper()
	hash := md5.New()
	if _, err := write(hash); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// whole writes all rows of a table.
func whole(s dbgen.Scale, table dbgen.Table) func(io.Writer) (int64, error) {
	return s.Source(table, dbgen.Tbl, 1, s.Count(table)).WriteTo
}

// inChunks writes all rows of a table from sources of random numbers of rows.
func inChunks(s dbgen.Scale, table dbgen.Table, random *rand.Rand) func(io.Writer) (int64, error) {
	return func(w io.Writer) (written int64, err error) {
		all := s.Count(table)
		for first := int64(1); first <= all; {
			count := min(all-first+1, 1+random.Int64N(all/5+1), 1+random.Int64N(100_000))
			n, err := s.Source(table, dbgen.Tbl, first, count).WriteTo(w)
			written += n
			if err != nil {
				return written, err
			}
			first += count
		}
		return written, nil
	}
}

func TestTablesAreThoseOfDbgen(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for factor, want := range sums {
		s := scale(t, factor)
		for _, table := range dbgen.Tables {
			t.Run(fmt.Sprintf("%s at %g", table, factor), func(t *testing.T) {
				if factor == 1 && testing.Short() {
					t.Skip("takes seconds")
				}
				t.Parallel()
				want := want[table] + sumsOfFixed[table]
				if got := sum(t, whole(s, table)); got != want {
					t.Errorf("whole: got %s, want %s", got, want)
				}
				random := rand.New(rand.NewPCG(seed, uint64(table)))
				if got := sum(t, inChunks(s, table, random)); got != want {
					t.Errorf("in chunks: got %s, want %s", got, want)
				}
			})
		}
	}
}

// TestTheGreatestScaleIsThatOfTpchgen compares the first two and the last two rows or orders with
// tpchgen-cli's: keys have 11 digits, names 10 digits, and parts are just below 2^31.
func TestTheGreatestScaleIsThatOfTpchgen(t *testing.T) {
	file, err := os.ReadFile("testdata/scale10000.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(file)) {
		place, row, _ := strings.Cut(line, ": ")
		want[place] += row
	}
	s := scale(t, dbgen.MostScale)
	for _, table := range dbgen.Tables[dbgen.Supplier:] {
		for place, first := range map[string]int64{"first": 1, "last": s.Count(table) - 1} {
			place := table.String() + " " + place
			var got strings.Builder
			if _, err := s.Source(table, dbgen.Tbl, first, 2).WriteTo(&got); err != nil {
				t.Fatal(err)
			}
			if got.String() != want[place] {
				t.Errorf("%s: got\n%swant\n%s", place, got.String(), want[place])
			}
		}
	}
}

func TestRefreshSetsAreThoseOfDbgen(t *testing.T) {
	s := scale(t, 1)
	for _, tt := range []struct {
		set                        int64
		orders, lineItems, deletes string
	}{
		{1, "c9964409cfb4c9f240e1f745657a91ae", "018cf8965c25d180d74341d907a863fc", "09e103106d9f595cbbb3f9c039f8fe31"},
		{2, "5b54a90e70c77f99e147d565297f0b54", "3fa1b217cda621f8fb8ab126349443a1", "20c3344abed96fd2040a6aa4988dc6d2"},
	} {
		r, err := s.Refresh(tt.set)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []struct {
			name, want string
			source     func(f dbgen.Format, first, count int64) *dbgen.Source
		}{
			{"orders", tt.orders, r.Orders}, {"lineitem", tt.lineItems, r.LineItems}, {"delete", tt.deletes, r.Deletes},
		} {
			all := r.Count()
			if got := sum(t, file.source(dbgen.Tbl, 1, all).WriteTo); got != file.want {
				t.Errorf("set %d, %s: got %s, want %s", tt.set, file.name, got, file.want)
			}
			var out bytes.Buffer
			for first := int64(1); first <= all; first += 37 {
				if _, err := file.source(dbgen.Tbl, first, min(37, all-first+1)).WriteTo(&out); err != nil {
					t.Fatal(err)
				}
			}
			if got := hex.EncodeToString(md5sum(out.Bytes())); got != file.want {
				t.Errorf("set %d, %s in chunks: got %s, want %s", tt.set, file.name, got, file.want)
			}
		}
	}
}

func md5sum(text []byte) []byte {
	sum := md5.Sum(text)
	return sum[:]
}

// keys returns the first column of all rows.
func keys(s *dbgen.Source, columns int) (keys []int64) {
	b := dbgen.NewBatch(columns)
	for s.Read(b, 1000) > 0 {
		keys = append(keys, b.Columns[0].Numbers...)
	}
	return keys
}

func TestOrderKeysAreSparse(t *testing.T) {
	s := scale(t, 0.001)
	got := keys(s.Source(dbgen.Orders, dbgen.Tbl, 1, s.Count(dbgen.Orders)), 9)
	if len(got) != 1500 {
		t.Fatalf("got %d orders, want 1500", len(got))
	}
	for i, key := range got {
		if n := int64(i + 1); key/32 != n/8 || key%32 != n%8 {
			t.Errorf("order %d: got key %d, want the first eight of every 32", n, key)
		}
	}
}

func TestRefreshSetsTakeFreeKeysAndDeleteTheirOwn(t *testing.T) {
	s := scale(t, 0.01)
	there := map[int64]bool{}
	for _, key := range keys(s.Source(dbgen.Orders, dbgen.Tbl, 1, s.Count(dbgen.Orders)), 9) {
		there[key] = true
	}
	last := int64(0)
	for set := int64(1); set <= 4100; set++ {
		r, err := s.Refresh(set)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys(r.Orders(dbgen.Tbl, 1, r.Count()), 9) {
			if there[key] || key <= last {
				t.Fatalf("set %d inserts key %d, which exists already or is not above %d", set, key, last)
			}
			there[key], last = true, key
		}
		found := 0
		for _, key := range keys(r.Deletes(dbgen.Tbl, 1, r.Count()), 1) {
			if there[key] {
				delete(there, key)
				found++
			}
		}
		// A thousand sets of a thousandth each would delete all orders. From set 1000 on, dbgen
		// deletes keys that no order has.
		want := int(r.Count())
		if set >= 1000 {
			want = 0
		}
		if found != want {
			t.Fatalf("set %d deletes %d orders, want %d", set, found, want)
		}
	}
}

func TestRefreshSetsOfAnyNumberCanBeMade(t *testing.T) {
	for _, factor := range []float64{0.001, 1, dbgen.MostScale} {
		s := scale(t, factor)
		var before int64
		for _, set := range []int64{1, 999, 1000, 123_456, dbgen.MostRefreshSet} {
			r, err := s.Refresh(set)
			if err != nil {
				t.Fatal(err)
			}
			got := keys(r.LineItems(dbgen.Tbl, r.Count(), 1), 16)
			number := set * r.Count()
			want := (number/8*4+1+set/1000)*8 + number%8
			if len(got) == 0 || got[0] != want || got[0] <= before {
				t.Errorf("scale %g, set %d: got the keys %d, want %d", factor, set, got, want)
			}
			before = want
		}
	}
}

func TestScalesHaveTheSizesOfTheStandard(t *testing.T) {
	for _, tt := range []struct {
		factor float64
		want   [8]int64
	}{
		{0.001, [8]int64{5, 25, 10, 150, 200, 800, 1500, 1500}},
		{0.29, [8]int64{5, 25, 2900, 43_500, 58_000, 232_000, 435_000, 435_000}}, // the binary value of 0.29 is less than 0.29
		{0.0019, [8]int64{5, 25, 19, 285, 380, 1520, 2850, 2850}},
		{0.00123, [8]int64{5, 25, 12, 184, 246, 984, 1845, 1845}}, // rounded down
		{1, [8]int64{5, 25, 10_000, 150_000, 200_000, 800_000, 1_500_000, 1_500_000}},
		{10_000, [8]int64{5, 25, 1e8, 15e8, 2e9, 8e9, 15e9, 15e9}},
	} {
		s := scale(t, tt.factor)
		for _, table := range dbgen.Tables {
			if got := s.Count(table); got != tt.want[table] {
				t.Errorf("%s at %g: got %d rows, want %d", table, tt.factor, got, tt.want[table])
			}
		}
	}
}

func TestScalesThatCannotBeMadeAreRefused(t *testing.T) {
	for _, tt := range []struct {
		factor float64
		reason string
	}{
		{0, "too few suppliers"},
		{-1, "too few suppliers"},
		{0.00099, "too few suppliers"},
		{10_000.1, "31 bits"},
		{30_000, "31 bits"},
		{math.Inf(1), "31 bits"},
		{math.NaN(), "from 0.001 to 10000"},
	} {
		_, err := dbgen.NewScale(tt.factor)
		if err == nil || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("scale factor %g: got error %v, want one that says %q", tt.factor, err, tt.reason)
		}
	}
}

func TestRefreshSetsThatCannotBeMadeAreRefused(t *testing.T) {
	s := scale(t, 1)
	for _, set := range []int64{0, -1, dbgen.MostRefreshSet + 1} {
		if _, err := s.Refresh(set); err == nil || !strings.Contains(err.Error(), "from 1 to 2147483647") {
			t.Errorf("set %d: got error %v, want one that gives the valid sets", set, err)
		}
	}
}

func TestSource_PanicsForMissingRanges(t *testing.T) {
	s := scale(t, 1)
	for _, r := range [][2]int64{{0, 1}, {1, 10_001}, {10_001, 1}, {10_002, 0}, {5, -1}, {math.MaxInt64, math.MaxInt64}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d suppliers from %d on: got a source, want a panic", r[1], r[0])
				}
			}()
			s.Source(dbgen.Supplier, dbgen.Tbl, r[0], r[1])
		}()
	}
	if n, err := s.Source(dbgen.Supplier, dbgen.Tbl, 10_001, 0).WriteTo(io.Discard); n != 0 || err != nil {
		t.Errorf("no rows: got %d bytes and %v, want none", n, err)
	}
}

func TestSourcesAllocateNothingForARow(t *testing.T) {
	s := scale(t, 0.1)
	for _, table := range dbgen.Tables[dbgen.Supplier:] {
		source := s.Source(table, dbgen.Tbl, 1, s.Count(table))
		buf := make([]byte, 0, 1024)
		if got := testing.AllocsPerRun(400, func() { source.AppendRow(buf) }); got != 0 {
			t.Errorf("%s as text: got %g allocations for a row, want none", table, got)
		}
		b := dbgen.NewBatch(len(table.Columns()))
		source.Read(b, 200) // grows the batch
		if got := testing.AllocsPerRun(200, func() { source.Read(b, 1) }); got != 0 {
			t.Errorf("%s as values: got %g allocations for a row, want none", table, got)
		}
	}
}
