package mysql

import (
	"slices"
	"strings"
	"testing"

	"sledge/internal/database"
)

func TestReadPlan_StepsHaveNoEstimatesOrConstants(t *testing.T) {
	for _, tt := range []struct{ name, plan, want string }{
		{
			"MariaDB, executed", `{
  "query_optimization": {
    "r_total_time_ms": 0.09
  },
  "query_block": {
    "select_id": 1,
    "r_loops": 1,
    "filesort": {
      "sort_key": "count(0) desc",
      "temporary_table": {
        "table": {
          "table_name": "orders",
          "access_type": "ref",
          "possible_keys": ["PRIMARY"],
          "key": "orders_customer",
          "used_key_parts": ["o_custkey"],
          "ref": [
            "tpch.customer.c_custkey"
          ],
          "r_engine_stats": {
            "pages_accessed": 3
          },
          "rows": 25,
          "attached_condition": "orders.o_comment not like '%a%'"
        }
      }
    }
  }
}`,
			"  query_block|    filesort|      temporary_table|        table|          table_name orders|          access_type ref|          key orders_customer",
		},
		{
			"MySQL 5.6", `{
  "query_block": {
    "select_id": 1,
    "grouping_operation": {
      "using_temporary_table": true,
      "using_filesort": false,
      "table": {
        "table_name": "part",
        "access_type": "ALL",
        "possible_keys": [
          "PRIMARY"
        ],
        "rows": 2000,
        "filtered": 100
      }
    }
  }
}`,
			"  query_block|    grouping_operation|      using_temporary_table true|      using_filesort false|      table|        table_name part|        access_type ALL",
		},
		{ // from the manual of MySQL 8
			"a tree", `-> Filter: (t3.i > 8)  (cost=1.75 rows=5) (actual time=0.019..0.021 rows=6 loops=1)
    -> Nested loop inner join  (cost=4.95 rows=9) (never executed)
        -> Index range scan on t3 using PRIMARY over (8 < i)  (cost=1.75 rows=5) (actual time=0.019..0.021 rows=6 loops=1)
`,
			"-> Filter|    -> Nested loop inner join|        -> Index range scan on t3 using PRIMARY",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var steps []string
			lines := ReadPlan(database.Table{Rows: [][]string{{tt.plan}}})
			for _, line := range lines {
				if line.Step != "" {
					steps = append(steps, line.Step)
				}
			}
			if want := strings.Split(tt.want, "|"); !slices.Equal(steps, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(steps, "\n"), strings.Join(want, "\n"))
			}
			if got, want := len(lines), len(strings.Split(strings.TrimSpace(tt.plan), "\n")); got != want {
				t.Errorf("got %d lines, want all %d", got, want)
			}
		})
	}
}
