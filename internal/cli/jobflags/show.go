package jobflags

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"

	"sledge/internal/cli/program"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// ShowResult prints a job that has just ended. It prints nothing for a failed job without figures,
// because its error follows, unless the user asked for JSON.
func ShowResult(p *program.Program, j job.Job, s *Flags) error {
	if s.JSON {
		return p.PrintJSON(DocumentOf(p, j, j.Result.Summary))
	}
	r := j.Result
	all := r.Summary.All()
	if r.Status != job.Succeeded && len(r.Metrics)+len(r.Loaded)+len(r.Findings) == 0 && all.Ended()+all.Retried == 0 {
		return nil
	}
	if p.StdoutWidth != nil || s.Demo { // there are lines above it
		fmt.Fprintln(p.Stdout)
	}
	return report.Text(p.Stdout, j, r.Summary, report.View{
		Width: p.Width(), Look: p.StdoutLook, Rules: s.Verbose, Whole: s.details, Line: p.Headline(j), Next: nextSteps(p, j, s),
	})
}

// nextSteps returns the commands that usually follow a job. The demo prints its own.
func nextSteps(p *program.Program, j job.Job, s *Flags) []report.Pointer {
	if s.Demo {
		return nil
	}
	var list []report.Pointer
	switch j.Spec.Action {
	case job.Build:
		if j.Status != job.Succeeded { // the error says what to do
			break
		}
		list = append(list, report.Pointer{Command: s.command(p, j, job.Run), Why: "run virtual users on it"})
	case job.Run:
		if j.ID != "" {
			list = append(list, report.Pointer{Command: "sledge jobs show " + report.ShortID(string(j.ID)) + s.ofRepository(), Why: "show everything that was recorded"})
			if e := j.Result.Explained; e != nil && e.Plans > 0 {
				list = append(list, report.Pointer{Command: "sledge jobs plan " + report.ShortID(string(j.ID)) + s.ofRepository(), Why: "show the query plans"})
			}
		}
		list = append(list, report.Pointer{Command: s.command(p, j, job.Check), Why: "verify that the data are still consistent"})
	}
	return list
}

// ofRepository returns the flag --repo with its value, or "" if it was not given.
func (s *Flags) ofRepository() string {
	if s.Repository == "" {
		return ""
	}
	return " --repo " + settings.ShellWord(s.Repository)
}

// urlWithoutPassword removes the password of a URL, and reports whether there was one.
func urlWithoutPassword(text string) (bare string, had bool) {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return text, false
	}
	if _, had = u.User.Password(); had {
		u.User = url.User(u.User.Username())
	}
	return u.String(), had
}

// command returns a command that performs an action on the database of a job, ready to paste. It does
// not contain passwords of a URL or --set, but asks for them. Options without effect on the action, which
// would be refused, are left out.
func (s *Flags) command(p *program.Program, j job.Job, action job.Action) string {
	words := []string{"sledge", string(action)}
	add := func(flag, value string) { words = append(words, "--"+flag, settings.ShellWord(value)) }
	if s.Config != "" {
		add("config", s.Config)
	}
	asks := s.AskPassword
	if s.URL != "" {
		bare, had := urlWithoutPassword(s.URL)
		add("url", bare)
		asks = asks || had
	}
	if s.Connection != "" {
		add("connection", s.Connection)
	}
	for _, name := range []string{"db", "workload"} {
		if value, given := s.Plain[name]; given {
			add(name, value)
		}
	}
	for _, f := range p.Resolver.Flags() {
		where := f.Group == option.Connection || f.Group == option.Accounts
		if value, given := s.Plain[f.Name]; given && where && f.MeansSomethingTo(action) {
			add(f.Name, value)
		}
	}
	pair, _ := p.Resolver.PairOf(j.Spec) // cannot fail: the caller has already looked up the pair
	for _, setting := range s.Set {
		name, _, _ := strings.Cut(setting, "=")
		o, _ := settings.Find(pair, name)
		switch {
		case strings.Contains(name, "pass"):
			asks = true
		case len(o.Actions) == 0 || slices.Contains(o.Actions, string(action)):
			add("set", setting)
		}
	}
	if asks {
		words = append(words, "--ask-password")
	}
	return strings.Join(words, " ") + s.ofRepository()
}

// DocumentOf returns the JSON document of a job, with HammerDB's headline.
func DocumentOf(p *program.Program, j job.Job, sum meter.Summary) report.Document {
	d := report.NewDocument(j, sum)
	d.Line = p.Headline(j)
	return d
}

// WordsOf returns HammerDB's lines of a job for its export.
func WordsOf(p *program.Program) report.Words {
	return report.Words{
		Headline: p.Headline,
		Output: func(ctx context.Context, store *repository.Store, j job.Job) iter.Seq2[repository.OutputLine, error] {
			return views.Output(ctx, store, j, p.Resolver.Catalog)
		},
	}
}
