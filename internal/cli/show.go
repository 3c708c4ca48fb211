package cli

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// show prints a job that has just ended. One that came to nothing has only its
// error, which follows; as JSON it says so too.
func (p *Program) show(j job.Job, s *jobFlags) error {
	if s.json {
		return p.printJSON(p.document(j, j.Result.Summary))
	}
	r := j.Result
	all := r.Summary.All()
	if r.Status != job.Succeeded && len(r.Metrics)+len(r.Loaded)+len(r.Findings) == 0 && all.Ended()+all.Retried == 0 {
		return nil
	}
	if p.StdoutWidth != nil || s.demo { // there are lines above it
		fmt.Fprintln(p.Stdout)
	}
	return report.Text(p.Stdout, j, r.Summary, report.View{
		Width: p.width(), Look: p.StdoutLook, Rules: s.verbose, Whole: s.details, Line: p.headline(j), Next: p.next(j, s),
	})
}

// next says what one would do after a job. A demo says so itself, at its end.
func (p *Program) next(j job.Job, s *jobFlags) []report.Pointer {
	if s.demo {
		return nil
	}
	var list []report.Pointer
	switch j.Spec.Action {
	case job.Build:
		if j.Status != job.Succeeded { // the error says how to go on
			break
		}
		list = append(list, report.Pointer{Command: s.command(p, job.Run), Why: "load it with virtual users"})
	case job.Run:
		if j.ID != "" {
			list = append(list, report.Pointer{Command: "sledge jobs show " + report.ShortID(string(j.ID)) + s.ofRepository(), Why: "all that was recorded"})
			if e := j.Result.Explained; e != nil && e.Plans > 0 {
				list = append(list, report.Pointer{Command: "sledge jobs plan " + report.ShortID(string(j.ID)) + s.ofRepository(), Why: "how the database answered the queries"})
			}
		}
		list = append(list, report.Pointer{Command: s.command(p, job.Check), Why: "verify that the data are still consistent"})
	}
	return list
}

// ofRepository spells the flag that names the repository, where there was one.
func (s *jobFlags) ofRepository() string {
	if s.repository == "" {
		return ""
	}
	return " --repo " + settings.ShellWord(s.repository)
}

// urlWithoutPassword returns a URL without the password that it had.
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

// command spells the command that does an action with the same database, for people
// to paste whole. A password in a URL or in --set is not repeated: the command asks for it.
func (s *jobFlags) command(p *Program, action job.Action) string {
	words := []string{"sledge", string(action)}
	add := func(flag, value string) { words = append(words, "--"+flag, settings.ShellWord(value)) }
	if s.config != "" {
		add("config", s.config)
	}
	asks := s.askPassword
	if s.url != "" {
		bare, had := urlWithoutPassword(s.url)
		add("url", bare)
		asks = asks || had
	}
	if s.connection != "" {
		add("connection", s.connection)
	}
	for _, name := range []string{"db", "workload"} {
		if value, given := s.plain[name]; given {
			add(name, value)
		}
	}
	for _, f := range p.Resolver.Flags() {
		where := f.Group == option.Connection || f.Group == option.Accounts
		if value, given := s.plain[f.Name]; given && where && f.MeansSomethingTo(action) {
			add(f.Name, value)
		}
	}
	for _, setting := range s.set {
		if name, _, _ := strings.Cut(setting, "="); strings.Contains(name, "pass") {
			asks = true
		} else {
			add("set", setting)
		}
	}
	if asks {
		words = append(words, "--ask-password")
	}
	return strings.Join(words, " ") + s.ofRepository()
}

// document is a job for programs to read, with its headline in HammerDB's words.
func (p *Program) document(j job.Job, sum meter.Summary) report.Document {
	d := report.NewDocument(j, sum)
	d.Line = p.headline(j)
	return d
}

// headline is the headline of a run in HammerDB's words, or "".
func (p *Program) headline(j job.Job) string {
	return views.Headline(j, p.Resolver.Catalog)
}

// words are HammerDB's, for what is exported of a job.
func (p *Program) words() report.Words {
	return report.Words{
		Headline: p.headline,
		Output: func(ctx context.Context, store *repository.Store, j job.Job) iter.Seq2[repository.OutputLine, error] {
			return views.Output(ctx, store, j, p.Resolver.Catalog)
		},
	}
}
