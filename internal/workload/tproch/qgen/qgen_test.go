package qgen

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// drawn returns a generator's parameters for a query in the format of the golden file.
func drawn(g Generator, query int) string {
	line := strconv.Itoa(query)
	for _, p := range g.Parameters(query) {
		if !p.Derived {
			line += "\t" + p.Value
		}
	}
	return line
}

func TestParametersAreThoseOfQgen(t *testing.T) {
	text, err := os.ReadFile("testdata/parameters.txt")
	if err != nil {
		t.Fatal(err)
	}
	var g Generator
	compared := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if n, _ := fmt.Sscanf(line, "seed %d scale %g", &g.Seed, &g.Scale); n == 2 {
			continue
		}
		number, _, _ := strings.Cut(line, "\t")
		query, err := strconv.Atoi(number)
		if err != nil {
			t.Fatalf("%q does not begin with a query", line)
		}
		g.RaisedCodes = true
		if got := drawn(g, query); got != line {
			t.Errorf("seed %d, scale %g:\ngot  %s\nwant %s", g.Seed, g.Scale, got, line)
		}
		compared++
	}
	if compared != 14*Queries {
		t.Errorf("compared %d queries, want those of 14 generators", compared)
	}
}

func TestCountryCodesAreThoseOfNations(t *testing.T) {
	want := "22\t24\t33\t31\t10\t15\t28\t23" // ten less than in the golden file
	if got := drawn(Generator{Seed: 1, Scale: 1}, 22); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSeedsCountModuloTheGenerator(t *testing.T) {
	for seed, same := range map[uint64]uint64{0: 1, modulus: 1, modulus + 7: 7, 1<<64 - 1: (1<<64 - 1) % modulus} {
		got, want := drawn(Generator{Seed: seed, Scale: 1}, 7), drawn(Generator{Seed: same, Scale: 1}, 7)
		if got != want {
			t.Errorf("seed %d: got %s, want %s, as for %d", seed, got, want, same)
		}
	}
	if got := StreamSeed(815, 3); got != 818 {
		t.Errorf("stream 3 of seed 815: got the seed %d, want 818", got)
	}
}

func TestConstantsFollowFromParameters(t *testing.T) {
	for query, want := range map[int]string{
		1:  "delta=90 shipped_until='1998-09-02'", // September has 30 days, October 31, November 30, and 1 December
		2:  "size=15 type='BRASS' region='EUROPE' type_pattern='%BRASS'",
		3:  "segment='BUILDING' date='1995-03-15'",
		4:  "date='1993-07-01' until='1993-10-01'",
		5:  "region='ASIA' date='1994-01-01' until='1995-01-01'",
		6:  "date='1994-01-01' discount=0.06 quantity=24 until='1995-01-01' discount_from=0.05 discount_to=0.07",
		9:  "colour='green' name_pattern='%green%'",
		10: "date='1993-10-01' until='1994-01-01'",
		11: "nation='GERMANY' fraction=0.0100000000",
		12: "mode1='MAIL' mode2='SHIP' date='1994-01-01' until='1995-01-01'",
		13: "word1='special' word2='requests' comment_pattern='%special%requests%'",
		14: "date='1995-09-01' until='1995-10-01'",
		15: "date='1996-01-01' until='1996-04-01'",
		16: "brand='Brand#45' type='MEDIUM POLISHED' size1=49 size2=14 size3=23 size4=45 size5=19 size6=3 size7=36 size8=9 type_pattern='MEDIUM POLISHED%'",
		20: "colour='forest' date='1994-01-01' nation='CANADA' until='1995-01-01' name_pattern='forest%'",
		22: "code1='13' code2='31' code3='23' code4='29' code5='30' code6='18' code7='17'",
	} {
		var got []string
		for _, p := range Validation(query, 0.01) {
			got = append(got, p.Name+"="+p.Literal())
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("query %d:\ngot  %s\nwant %s", query, got, want)
		}
	}
	if got := (Generator{Seed: 1, Scale: 1}).Parameters(6).Literals(); got["discount_from"] != "0.06" || got["discount_to"] != "0.08" {
		t.Errorf("around a discount of 0.07: got %v", got)
	}
}

func TestValidationParametersAreOnesThatQgenMayGive(t *testing.T) {
	for query := 1; query <= Queries; query++ {
		want, got := Validation(query, 1), Generator{Seed: 1, Scale: 1}.Parameters(query)
		if len(got) != len(want) {
			t.Fatalf("query %d: got %d parameters, want %d", query, len(got), len(want))
		}
		for i := range got {
			if got[i].Name != want[i].Name || len(got[i].Value) == 0 || len(want[i].Value) == 0 {
				t.Errorf("query %d: got %+v beside %+v", query, got[i], want[i])
			}
		}
	}
}

func TestQuotesInTextAreDoubled(t *testing.T) {
	if got, want := (Parameter{Value: "d'or"}).Literal(), "'d''or'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEveryStreamExecutesEveryQuery(t *testing.T) {
	for stream := range LastStream + 1 {
		order := Order(stream, Modulo40)
		if first := order[0]; stream == 0 && first != 14 || stream == 40 && first != 13 {
			t.Errorf("stream %d begins with query %d", stream, first)
		}
		slices.Sort(order[:])
		for i, query := range order {
			if query != i+1 {
				t.Fatalf("stream %d: got the queries %v", stream, order)
			}
		}
		for other := range stream {
			if Order(other, Modulo40) == Order(stream, Modulo40) {
				t.Errorf("streams %d and %d have the same order", other, stream)
			}
		}
	}
}

func TestStreamsAfterTheLastReusePermutations(t *testing.T) {
	for _, tt := range []struct {
		stream int
		reuse  Reuse
		want   int
	}{
		{40, Modulo40, 40},
		{41, Modulo40, 1},
		{79, Modulo40, 39},
		{80, Modulo40, 0},
		{81, Modulo40, 1},
		{40, Modulo41, 40},
		{41, Modulo41, 0},
		{80, Modulo41, 39},
		{81, Modulo41, 40},
		{82, Modulo41, 0},
	} {
		if got, want := Order(tt.stream, tt.reuse), Order(tt.want, tt.reuse); got != want {
			t.Errorf("stream %d, rule %d: got %v, want the order of stream %d", tt.stream, tt.reuse, got, tt.want)
		}
	}
}
