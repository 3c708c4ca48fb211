package mysql

import (
	"strings"
	"testing"
)

func TestWithoutValues_LeavesNamesAndCosts(t *testing.T) {
	plan := `{
  "query_block": {
    "cost_info": {
      "query_cost": "12.50"
    },
    "table": {
      "table_name": "t2",
      "access_type": "ref",
      "key_length": "4",
      "ref": [
        "const"
      ],
      "rows": 25,
      "attached_condition": "((t2.c_2 = 'O\\'Hara \"x\"') and (t2.d > 4711))",
      "index_condition": "t2.e = 'cut"
    }
  }
}`
	want := strings.NewReplacer(`'O\\'Hara \"x\"'`, "?", "4711", "?", "'cut", "?").Replace(plan)
	if got := withoutValues(plan); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
