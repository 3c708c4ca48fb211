package answers

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"sledge/internal/sqlfile"
	"sledge/internal/workload/tproch/qgen"
)

// replaced are parameters that texts need not have, because another one follows from them.
var replaced = []string{"delta", "type", "discount", "colour", "word1", "word2"}

func TestTextsHaveTheParametersOfTheirQueries(t *testing.T) {
	folders, err := os.ReadDir("../sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		sql, err := sqlfile.NewLibrary(nil, sqlfile.Place{Files: os.DirFS("../sql"), Dir: folder.Name()})
		if err != nil {
			t.Fatal(err)
		}
		for query := 1; query <= CloudQueries; query++ {
			name, limit := fmt.Sprintf("cloud%02d", query), OfCloud(query).Limit
			if sql.Has(name) && limitOf(sql.Text(name)) != limit || folder.Name() == "ansi" && !sql.Has(name) {
				t.Errorf("%s: %s is missing, or has not the limit of %d rows", folder.Name(), name, limit)
			}
		}
		for query := 1; query <= qgen.Queries; query++ {
			name := fmt.Sprintf("q%02d", query)
			if folder.Name() != "ansi" && !sql.Has(name) {
				continue
			}
			parameters := qgen.Validation(query, 1)
			if _, err := sql.Filled(name, parameters.Literals()); err != nil {
				t.Errorf("%s: %v", folder.Name(), err)
			}
			for _, p := range parameters {
				used := regexp.MustCompile(":" + p.Name + `\b`).MatchString(withoutComments(sql.Text(name)))
				if !used && !slices.Contains(replaced, p.Name) {
					t.Errorf("%s: %s does not ask for :%s", folder.Name(), name, p.Name)
				}
			}
			if limit := Of(query).Limit; limitOf(sql.Text(name)) != limit {
				t.Errorf("%s: %s has not the limit of %d rows", folder.Name(), name, limit)
			}
		}
	}
}

// limitOf returns the limit that a text ends with, in either of the ways to say it, or 0.
func limitOf(text string) (limit int) {
	if found := regexp.MustCompile(`(?:LIMIT (\d+)|FETCH FIRST (\d+) ROWS ONLY)$`).FindStringSubmatch(text); found != nil {
		limit, _ = strconv.Atoi(found[1] + found[2])
	}
	return limit
}

func withoutComments(text string) string {
	return regexp.MustCompile(`--[^\n]*`).ReplaceAllString(text, "")
}
