package database

import "testing"

func TestExplainable_RefusesWhatExplainWouldExecute(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT 1":                          true,
		"/* of an application */ select 1;": true,
		"-- first line\n WITH a AS (SELECT 1) SELECT * FROM a": true,
		"UPDATE t SET a = $1":                   true,
		"SELECT 1; DROP TABLE t":                false,
		"SELECT ';'":                            false, // rather no plan
		"CALL payment($1)":                      false,
		"ANALYZE SELECT 1":                      false,
		"SELECTED":                              false,
		"":                                      false,
		"hidden":                                false,
		"/* SELECT 1 */ CREATE TABLE t (a INT)": false,
		"(SELECT 1)":                            false,
	} {
		if err := Explainable(text); (err == nil) != want {
			t.Errorf("%q: got %v, want explainable %t", text, err, want)
		}
	}
}
