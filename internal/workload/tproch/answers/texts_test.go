package answers

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/workload/tproch/qgen"
)

// replaced are parameters that query texts may omit, because they use a parameter derived from
// them.
var replaced = []string{"delta", "type", "discount", "colour", "word1", "word2"}

func TestTextsHaveTheParametersOfTheirQueries(t *testing.T) {
	for pair := range edition.Catalog.Pairs() {
		if pair.Workload.Name != "tproch" {
			continue
		}
		t.Run(pair.Database.Name, func(t *testing.T) {
			plan, err := plan.New(pair, job.Spec{Action: job.Build, Database: pair.Database.Name, Workload: pair.Workload.Name})
			if err != nil {
				t.Fatal(err)
			}
			for query := 1; query <= CloudQueries; query++ {
				name, limit := fmt.Sprintf("cloud%02d", query), OfCloud(query).Limit
				if got := limitOf(plan.SQL.Text(name)); got != limit {
					t.Errorf("%s is limited to %d rows, want %d", name, got, limit)
				}
			}
			for query := 1; query <= qgen.Queries; query++ {
				name := fmt.Sprintf("q%02d", query)
				parameters := qgen.Validation(query, 1)
				if _, err := plan.SQL.Filled(name, parameters.Literals()); err != nil {
					t.Error(err)
				}
				for _, p := range parameters {
					used := regexp.MustCompile(":" + p.Name + `\b`).MatchString(withoutComments(plan.SQL.Text(name)))
					if !used && !slices.Contains(replaced, p.Name) {
						t.Errorf("%s does not ask for :%s", name, p.Name)
					}
				}
				if got, limit := limitOf(plan.SQL.Text(name)), Of(query).Limit; got != limit {
					t.Errorf("%s is limited to %d rows, want %d", name, got, limit)
				}
			}
		})
	}
}

// limited matches each notation for a row limit.
var limited = regexp.MustCompile(`(?:\nSELECT TOP |LIMIT |FETCH FIRST )(\d+)(?: [a-z]|$| ROWS ONLY$)`)

// limitOf returns the number of rows that a query is limited to, or 0.
func limitOf(text string) (limit int) {
	if found := limited.FindStringSubmatch(text); found != nil {
		limit, _ = strconv.Atoi(found[1])
	}
	return limit
}

func withoutComments(text string) string {
	return regexp.MustCompile(`--[^\n]*`).ReplaceAllString(text, "")
}
