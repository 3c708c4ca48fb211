package sqlserver

import (
	"slices"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/sqlfile"
)

// The plans follow the XML schema of showplan. They contain two threads below a gather, a
// columnstore, a seek that is executed often, a missing index, and a spill.
const (
	plannedXML = `<?xml version="1.0" encoding="utf-16"?>
<ShowPlanXML xmlns="http://schemas.microsoft.com/sqlserver/2004/07/showplan" Version="1.564" Build="16.0.1000.6"><BatchSequence><Batch><Statements>
<StmtSimple StatementText="SELECT TOP 100 s_name" StatementType="SELECT" StatementSubTreeCost="12.5"><QueryPlan DegreeOfParallelism="2" CachedPlanSize="88">
<MissingIndexes><MissingIndexGroup Impact="87.3"><MissingIndex Database="[tpch]" Schema="[dbo]" Table="[lineitem]"><ColumnGroup Usage="EQUALITY"><Column Name="[l_suppkey]" ColumnId="3"/></ColumnGroup></MissingIndex></MissingIndexGroup></MissingIndexes>
<RelOp NodeId="0" PhysicalOp="Parallelism" LogicalOp="Gather Streams" EstimateRows="100" EstimatedTotalSubtreeCost="12.5"><OutputList/><Parallelism>
<RelOp NodeId="1" PhysicalOp="Hash Match" LogicalOp="Inner Join" EstimateRows="6001.5" EstimatedTotalSubtreeCost="12.4"><OutputList/><Hash><ProbeResidual><ScalarOperator ScalarString="[a]=[b]"><Compare CompareOp="EQ"/></ScalarOperator></ProbeResidual>
<RelOp NodeId="2" PhysicalOp="Clustered Index Scan" LogicalOp="Clustered Index Scan" EstimateRows="100" EstimatedTotalSubtreeCost="0.1" EstimatedExecutionMode="Batch"><IndexScan Storage="ColumnStore"><Object Database="[tpch]" Schema="[dbo]" Table="[supplier]" Index="[supplier_columns]" IndexKind="Clustered" Storage="ColumnStore"/></IndexScan></RelOp>
<RelOp NodeId="3" PhysicalOp="Index Seek" LogicalOp="Index Seek" EstimateRows="4" EstimatedTotalSubtreeCost="9"><IndexScan Ordered="true" Storage="RowStore"><Object Table="[lineitem]" Index="[lineitem_pk]" Alias="[l1]"/><SeekPredicates><SeekPredicateNew><SeekKeys><Prefix ScanType="EQ"><RangeColumns><ColumnReference Table="[lineitem]" Column="l_orderkey"/></RangeColumns></Prefix></SeekKeys></SeekPredicateNew></SeekPredicates><Predicate><ScalarOperator ScalarString="[l_receiptdate]&gt;[l_commitdate]"/></Predicate></IndexScan></RelOp>
</Hash></RelOp></Parallelism></RelOp></QueryPlan></StmtSimple></Statements></Batch></BatchSequence></ShowPlanXML>`

	timedXML = `<ShowPlanXML xmlns="http://schemas.microsoft.com/sqlserver/2004/07/showplan"><BatchSequence><Batch><Statements><StmtSimple><QueryPlan DegreeOfParallelism="2">
<QueryTimeStats CpuTime="40" ElapsedTime="31"/>
<RelOp PhysicalOp="Sort" LogicalOp="Sort" EstimateRows="500" EstimatedTotalSubtreeCost="0.5"><OutputList/><Warnings><SpillToTempDb SpillLevel="2"/></Warnings>
<RunTimeInformation><RunTimeCountersPerThread Thread="2" ActualRows="400" ActualExecutions="1" ActualElapsedms="12"/><RunTimeCountersPerThread Thread="1" ActualRows="342" ActualExecutions="1" ActualElapsedms="31"/></RunTimeInformation>
<Sort><RelOp PhysicalOp="Table Scan" LogicalOp="Table Scan" EstimateRows="500" EstimatedTotalSubtreeCost="0.4"><RunTimeInformation><RunTimeCountersPerThread Thread="0" ActualRows="742" ActualExecutions="1" ActualElapsedms="5"/></RunTimeInformation><TableScan><Object Table="[orders]"/></TableScan></RelOp></Sort></RelOp></QueryPlan></StmtSimple></Statements></Batch></BatchSequence></ShowPlanXML>`
)

func TestReadPlan_DrawsTree(t *testing.T) {
	for _, c := range []struct {
		name, plan string
		want       []string
		shape      string
	}{
		{"estimated", plannedXML, []string{
			"QueryPlan: DegreeOfParallelism=2",
			"missing index: lineitem (l_suppkey) Impact=87.3",
			"Parallelism (Gather Streams)  (estimated rows=100 cost=12.5)",
			"  Hash Match (Inner Join)  (estimated rows=6001.5 cost=12.4)",
			"      where: [a]=[b]",
			"    Clustered Index Scan by column supplier.supplier_columns, in batches  (estimated rows=100 cost=0.1)",
			"    Index Seek lineitem.lineitem_pk  (estimated rows=4 cost=9)",
			"        seek: l_orderkey",
			"        where: [l_receiptdate]>[l_commitdate]",
		}, "Parallelism (Gather Streams)\n  Hash Match (Inner Join)\n    Clustered Index Scan by column supplier.supplier_columns\n    Index Seek lineitem.lineitem_pk"},
		{"with times", timedXML, []string{
			"QueryPlan: DegreeOfParallelism=2",
			"QueryTimeStats: CpuTime=40 ElapsedTime=31",
			"Sort  (estimated rows=500 cost=0.5)  (actual time=31 ms rows=742 executions=2 threads=2)",
			"    warning: SpillToTempDb SpillLevel=2",
			"  Table Scan orders  (estimated rows=500 cost=0.4)  (actual time=5 ms rows=742 executions=1)",
		}, "Sort\n  Table Scan orders"},
		{"no XML", "a line\r\nand another", []string{"a line", "and another"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			lines := readPlan(database.Table{Rows: [][]string{{c.plan}}})
			for _, line := range lines {
				got = append(got, line.Text)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if shape := (job.QueryPlan{Lines: lines}).Shape(); shape != c.shape {
				t.Errorf("got the shape\n%s\nwant\n%s", shape, c.shape)
			}
		})
	}
}

// Each setting must be a batch of its own. The stand-in answers a query by the current setting:
// with the plan alone, or with rows followed by the plan.
func TestExplain_SendsSettingsInOwnBatches(t *testing.T) {
	setting := ""
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		switch {
		case r.kind != aBatch:
			return nil
		case strings.HasPrefix(r.text, "SET "):
			setting = strings.TrimPrefix(r.text, "SET ")
			return done(0)
		case setting == "SHOWPLAN_XML ON":
			return append(rows([]string{"plan"}, []any{plannedXML}), done(1)...)
		case setting == "STATISTICS XML ON":
			found := append(rows([]string{"o_orderkey"}, []any{int64(7)}, []any{int64(8)}), doneWith(0x11, 2)...)
			return append(append(found, rows([]string{"plan"}, []any{timedXML})...), done(1)...)
		}
		return append(rows([]string{"o_orderkey"}, []any{int64(7)}), done(1)...)
	})}
	session := connectTo(t, s)
	session.maxDOP = 2
	sql, err := sqlfile.NewLibrary(Database.Dialect.Placeholder)
	if err != nil {
		t.Fatal(err)
	}
	server := Database.Server(sql)
	for _, c := range []struct {
		how  database.Explainer
		want string
	}{{server.Explain, plannedXML}, {server.ExplainTimed, timedXML}} {
		got, err := c.how(t.Context(), session, "SELECT o_orderkey FROM orders")
		if err != nil || len(got.Rows) != 1 || got.Rows[0][0] != c.want {
			t.Errorf("got %v, %v", got, err)
		}
	}
	if got, err := session.Query(t.Context(), "SELECT o_orderkey FROM orders", 0); err != nil || len(got.Rows) != 1 || got.Rows[0][0] != "7" {
		t.Errorf("after it: got %v, %v", got, err)
	}
	var asked []string
	for _, r := range s.requests() {
		asked = append(asked, r.text)
	}
	const query = "SELECT o_orderkey FROM orders\nOPTION (MAXDOP 2)"
	want := []string{whichProduct + "\nOPTION (MAXDOP 2)", "SET SHOWPLAN_XML ON", query, "SET SHOWPLAN_XML OFF", "SET STATISTICS XML ON", query, "SET STATISTICS XML OFF", query}
	if !slices.Equal(asked, want) {
		t.Errorf("got %q, want %q", asked, want)
	}
}

// Babelfish sends PostgreSQL's plan after the rows of the query, and before the time of parsing.
func TestExplain_OnBabelfish(t *testing.T) {
	setting := ""
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		switch {
		case r.text == whichProduct:
			return append(rows([]string{""}, []any{babelfish}), done(1)...)
		case strings.HasPrefix(r.text, "SET "):
			setting = strings.TrimPrefix(r.text, "SET ")
			return done(0)
		}
		var answer []byte
		if setting == "BABELFISH_STATISTICS PROFILE ON" {
			answer = append(rows([]string{"n"}, []any{int64(7)}), doneWith(0x11, 1)...)
		}
		answer = append(answer, rows([]string{"QUERY PLAN"}, []any{"Query Text: " + r.text}, []any{"Aggregate  (cost=8.00..8.01 rows=1)"}, []any{"  ->  Seq Scan on t  (cost=0.00..7.00 rows=9)"}, []any{"        Filter: (a > 3)"})...)
		return append(append(append(answer, doneWith(0x11, 4)...), rows([]string{""}, []any{"Babelfish T-SQL Batch Parsing Time: 3 ms"})...), done(1)...)
	})}
	session := connectTo(t, s)
	sql, err := sqlfile.NewLibrary(Database.Dialect.Placeholder)
	if err != nil {
		t.Fatal(err)
	}
	server := Database.Server(sql)
	for on, explain := range map[string]database.Explainer{"BABELFISH_SHOWPLAN_ALL": server.Explain, "BABELFISH_STATISTICS PROFILE": server.ExplainTimed} {
		answer, err := explain(t.Context(), session, "SELECT COUNT(*) AS n FROM t")
		if err != nil {
			t.Fatal(err)
		}
		want := []job.PlanLine{
			{Text: "Aggregate  (cost=8.00..8.01 rows=1)", Step: "Aggregate"},
			{Text: "  ->  Seq Scan on t  (cost=0.00..7.00 rows=9)", Step: "  ->  Seq Scan on t"},
			{Text: "        Filter: (a > 3)"},
		}
		if got := readPlan(answer); !slices.Equal(got, want) {
			t.Errorf("%s: got %+v, want %+v", on, got, want)
		}
		if setting != on+" OFF" {
			t.Errorf("%s: %q is still set afterwards", on, setting)
		}
	}
}
