package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/report/reporttest"
	"sledge/internal/repository"
)

// TestEveryKeptJob_IsShownAsItIsPrinted renders the kept jobs that pages show, and compares. With -update it
// rewrites the pages.
func TestEveryKeptJob_IsShownAsItIsPrinted(t *testing.T) {
	for _, page := range pages(t) {
		blocks := blocksOf(t, page)
		slices.Reverse(blocks) // so that a block that grows moves none that is still to come
		for _, b := range blocks {
			var want string
			if of, is := strings.CutPrefix(b.mark, "kept "); is {
				want = printed(t, b, of)
			} else if name, is := strings.CutPrefix(b.mark, "copy of "); is {
				text, err := os.ReadFile(filepath.Join("..", name))
				if err != nil {
					t.Errorf("%s: %v", b, err)
				}
				want = string(text)
			} else {
				continue
			}
			want = strings.TrimRight(want, "\n") + "\n"
			switch {
			case b.text == want:
			case reporttest.Updating():
				rewrite(t, b, want)
			default:
				t.Errorf("%s: the page shows\n%s\nand the program prints\n%s\nRewrite the page by go test ./docs -run Kept -update", b, b.text, want)
			}
		}
	}
}

// printed prints a kept job as its mark says: "first", "pool, console", "pool, paragraph Connections",
// "plans, compared Queries".
func printed(t *testing.T, b block, mark string) string {
	t.Helper()
	name, of, _ := strings.Cut(mark, ", ")
	how, words, _ := strings.Cut(of, " ")
	var out bytes.Buffer
	var err error
	var kept reporttest.Kept
	switch how {
	case "compared":
		var c report.Comparison
		reporttest.ReadKept(t, name, &c)
		err = c.Text(&out, report.View{Width: 102})
	case "console":
		reporttest.ReadKept(t, name, &kept)
		product, _, _ := strings.Cut(kept.Job.Facts.Target, " ")
		speaker := lines.NewSpeaker(lines.About{Action: job.Run, Database: kept.Job.Spec.Database, Product: product, Workload: kept.Job.Spec.Workload})
		for _, line := range speaker.Say(job.Event{User: 1, Headline: &kept.Job.Result}) {
			fmt.Fprintln(&out, line.Text)
		}
	case "", "paragraph", "row", "detail":
		reporttest.ReadKept(t, name, &kept)
		var sum meter.Summary
		if sum, err = kept.Measured.Summary(); err == nil {
			err = report.Text(&out, kept.Job, sum, report.View{Width: 102, Whole: how == "detail"})
		}
	default:
		t.Errorf("%s: kept jobs are not shown as %q", b, how)
	}
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	text := out.String()
	switch how {
	case "paragraph", "detail", "compared":
		text = partWith(words, strings.Split(text, "\n\n"))
	case "row":
		text = partWith(words, rows(text))
	}
	if text == "" {
		t.Errorf("%s: no %s has %q in\n%s", b, how, words, &out)
		return b.text
	}
	return text
}

// partWith returns the first part that has some words.
func partWith(words string, parts []string) string {
	i := slices.IndexFunc(parts, func(part string) bool { return strings.Contains(part, words) })
	if i < 0 {
		return ""
	}
	return parts[i]
}

// rows divides a text into its rows: a line that begins with a space goes on with the one before.
func rows(text string) (list []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, " ") && len(list) > 0 {
			list[len(list)-1] += line
		} else {
			list = append(list, line)
		}
	}
	return list
}

// rewrite puts other lines into a block.
func rewrite(t *testing.T, b block, want string) {
	t.Helper()
	path := filepath.Join("..", b.page)
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(string(source), "\n")
	first := all[b.line-1]
	indent := first[:len(first)-len(strings.TrimLeft(first, " "))]
	indent = indent[:len(indent)-(len(b.text)-len(strings.TrimLeft(b.text, " ")))]
	text := strings.Split(strings.TrimSuffix(want, "\n"), "\n")
	for i, line := range text {
		if line != "" {
			text[i] = indent + line
		}
	}
	all = slices.Concat(all[:b.line-1], text, all[b.line-1+strings.Count(b.text, "\n"):])
	if err := os.WriteFile(path, []byte(strings.Join(all, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

var keep = flag.String("keep", "", "keep the newest job of a repository with a label name: `name=FILE`; with seconds for the live display if the name ends in +")

// TestKeep keeps a job, when it is asked to.
func TestKeep(t *testing.T) {
	name, file, asked := strings.Cut(*keep, "=")
	if !asked {
		t.Skip("there is nothing to keep")
	}
	name, live := strings.CutSuffix(name, "+")
	store, err := repository.OpenToRead(file)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	list, err := store.List(t.Context(), repository.Query{Labels: map[string]string{"name": name}, Limit: 1})
	if err != nil || len(list) == 0 {
		t.Fatalf("got the jobs %v, %v", list, err)
	}
	j, err := store.Get(t.Context(), list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	sum, _, err := store.Summary(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	kept := reporttest.Kept{Job: j, Measured: sum.Coded()}
	for e, err := range store.Seconds(t.Context(), j.ID) {
		if err != nil {
			t.Fatal(err)
		}
		s := e.Second
		if !live || s.Phase != job.Measure {
			continue
		}
		sum, err := s.Measured.Summary()
		if err != nil {
			t.Fatal(err)
		}
		all := meter.Summary{Elapsed: s.Measured.Elapsed, Kinds: []meter.Tally{sum.All()}}
		kept.Seconds = append(kept.Seconds, job.Second{Moment: job.Moment{Phase: s.Phase, Offset: s.Offset, ServerTPM: s.ServerTPM}, Measured: all.Coded()})
	}
	kept.Write(t, "../internal/report/reporttest/kept", name)
}
