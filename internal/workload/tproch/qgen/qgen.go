// Package qgen decides the parameters of the 22 queries of TPC-H and their order in a stream, as
// the standard's qgen does. It does not know the queries' SQL.
package qgen

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Queries is the number of queries. They are numbered from 1.
const Queries = 22

// Generator draws the parameters of queries. Equal generators give equal parameters.
type Generator struct {
	// Seed is qgen's option -r. It counts modulo 2147483647; 0, which would repeat itself forever,
	// counts as 1.
	Seed uint64

	// Scale is the scale factor of the data. Only the fraction of query 11 depends on it.
	Scale float64

	// RaisedCodes draws the country codes of query 22 from 20 to 44, as qgen 2.14 prints them,
	// instead of from 10 to 34, which the data contain. Ten of the 25 then match no customer.
	RaisedCodes bool
}

// StreamSeed returns the seed of a stream, given the seed of the power test, which is stream 0. In
// the standard, the streams of the throughput test have the seeds that follow it.
func StreamSeed(seed uint64, stream int) uint64 { return seed + uint64(stream) }

// Parameters returns the parameters of a query.
func (g Generator) Parameters(query int) Parameters {
	return named(query, g.draw(query))
}

// Validation returns the parameters for which the standard publishes the answer of a query at scale
// 1. At another scale, only the fraction of query 11 differs.
func Validation(query int, scale float64) Parameters {
	values := strings.Split(validation[query], "|")
	if query == 11 {
		values[1] = fraction(scale)
	}
	return named(query, values)
}

// Parameters are the parameters of one query: first qgen's, in its order, then those computed from
// them.
type Parameters []Parameter

// Parameter is a value with its name in the query's text.
type Parameter struct {
	Name  string
	Value string

	// Number means that the value is written into a statement without quotes. Dates and patterns
	// are quoted: the other operand decides their type.
	Number bool

	// Derived means that the value is computed from others, so that the statement contains a
	// constant where the standard's text contains an expression.
	Derived bool
}

// Literal returns the value as an SQL literal.
func (p Parameter) Literal() string {
	if p.Number {
		return p.Value
	}
	return "'" + strings.ReplaceAll(p.Value, "'", "''") + "'"
}

// Literals returns the values by name, as SQL literals.
func (p Parameters) Literals() map[string]string {
	literals := make(map[string]string, len(p))
	for _, parameter := range p {
		literals[parameter.Name] = parameter.Literal()
	}
	return literals
}

// names are the names of qgen's parameters, in its order. Those that end in # are numbers.
var names = [Queries + 1]string{
	1:  "delta#",
	2:  "size# type region",
	3:  "segment date",
	4:  "date",
	5:  "region date",
	6:  "date discount# quantity#",
	7:  "nation1 nation2",
	8:  "nation region type",
	9:  "colour",
	10: "date",
	11: "nation fraction#",
	12: "mode1 mode2 date",
	13: "word1 word2",
	14: "date",
	15: "date",
	16: "brand type size1# size2# size3# size4# size5# size6# size7# size8#",
	17: "brand container",
	18: "quantity#",
	19: "brand1 brand2 brand3 quantity1# quantity2# quantity3#",
	20: "colour date nation",
	21: "nation",
	22: "code1 code2 code3 code4 code5 code6 code7",
}

// validation are the values of TPC-H 2.4.1.4, 2.4.2.4 and so on.
var validation = [Queries + 1]string{
	1:  "90",
	2:  "15|BRASS|EUROPE",
	3:  "BUILDING|1995-03-15",
	4:  "1993-07-01",
	5:  "ASIA|1994-01-01",
	6:  "1994-01-01|0.06|24",
	7:  "FRANCE|GERMANY",
	8:  "BRAZIL|AMERICA|ECONOMY ANODIZED STEEL",
	9:  "green",
	10: "1993-10-01",
	11: "GERMANY|0.0001",
	12: "MAIL|SHIP|1994-01-01",
	13: "special|requests",
	14: "1995-09-01",
	15: "1996-01-01",
	16: "Brand#45|MEDIUM POLISHED|49|14|23|45|19|3|36|9",
	17: "Brand#23|MED BOX",
	18: "300",
	19: "Brand#12|Brand#23|Brand#34|1|10|20",
	20: "forest|1994-01-01|CANADA",
	21: "SAUDI ARABIA",
	22: "13|31|23|29|30|18|17",
}

// named returns the values of a query with their names, and adds the derived parameters.
func named(query int, values []string) Parameters {
	var p Parameters
	value := map[string]string{}
	for i, name := range strings.Fields(names[query]) {
		name, number := strings.CutSuffix(name, "#")
		value[name] = values[i]
		p = append(p, Parameter{Name: name, Value: values[i], Number: number})
	}
	derive := func(name, text string, number bool) {
		p = append(p, Parameter{Name: name, Value: text, Number: number, Derived: true})
	}
	until := func(years, months int) { derive("until", later(value["date"], years, months, 0), false) }
	switch query {
	case 1:
		days, _ := strconv.Atoi(value["delta"]) // our own text
		derive("shipped_until", later("1998-12-01", 0, 0, -days), false)
	case 2:
		derive("type_pattern", "%"+value["type"], false)
	case 4, 10, 15:
		until(0, 3)
	case 5, 12:
		until(1, 0)
	case 6:
		until(1, 0)
		hundredths, _ := strconv.Atoi(strings.TrimPrefix(value["discount"], "0."))
		derive("discount_from", fmt.Sprintf("0.%02d", hundredths-1), true)
		derive("discount_to", fmt.Sprintf("0.%02d", hundredths+1), true)
	case 9:
		derive("name_pattern", "%"+value["colour"]+"%", false)
	case 13:
		derive("comment_pattern", "%"+value["word1"]+"%"+value["word2"]+"%", false)
	case 14:
		until(0, 1)
	case 16:
		derive("type_pattern", value["type"]+"%", false)
	case 20:
		until(1, 0)
		derive("name_pattern", value["colour"]+"%", false)
	}
	return p
}

// later returns the date after a period.
func later(date string, years, months, days int) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err) // the dates are ours
	}
	return t.AddDate(years, months, days).Format(time.DateOnly)
}

// fraction returns the fraction of query 11, with as many digits as qgen prints.
func fraction(scale float64) string { return strconv.FormatFloat(0.0001/scale, 'f', 10, 64) }
