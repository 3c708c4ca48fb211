package mysql

import (
	"strings"
	"testing"
)

func TestAssumed_ReplacesParametersAlone(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a FROM t WHERE b = ? AND c IN (?,?)":                   "SELECT a FROM t WHERE b = '1' AND c IN ('1','1')",
		"SELECT a FROM t WHERE b = ? LIMIT ?, ?":                       "SELECT a FROM t WHERE b = '1' LIMIT 1, 1",
		"select a from t limit ? offset ?":                             "select a from t limit 1 offset 1",
		`SELECT '?', "\"?", 'it''s ?' FROM ` + "`a?`" + ` WHERE b = 2`: "",
	} {
		got, prepared := assumed(text)
		if want == "" && (prepared || got != text) || want != "" && (!prepared || got != want) {
			t.Errorf("%s: got %s, %t, want %s", text, got, prepared, want)
		}
	}
}

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
