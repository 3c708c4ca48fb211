package lines

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/job"
)

// The lines of a virtual user at its start and end.
const (
	Running   = "RUNNING"
	Succeeded = "FINISHED SUCCESS"
	Failed    = "FINISHED FAILED"
)

// AllComplete is the last line of a job.
const AllComplete = "ALL VIRTUAL USERS COMPLETE"

// Time is the format of times in lines, which is Tcl's default.
const Time = "Mon Jan 02 15:04:05 MST 2006"

// Line is a piece of output. Its text may have several lines.
type Line struct {
	User int // position of the virtual user; 0 for a line of the job itself
	Text string
}

// About describes a job, as needed to write its lines.
type About struct {
	Action   job.Action
	Database string // its name in options: "postgresql"
	Product  string // its title: "PostgreSQL"
	Workload string // its name in options: "tprocc"
	Title    string // its title: "TPROC-C"
}

// Speaker turns the events of one job, in order, into HammerDB's lines.
type Speaker struct {
	about About
	words words
	test  bool // users do their iterations without a monitor

	builders, ready int // number of virtual users of a build, and of those that have ended
	minute          int // the last reported minute of the phase

	cleaned bool // whether the line about checkpoint and vacuum was written

	sets map[int]*inSet // the current sets of virtual users, by position

	// held keeps the lines of virtual users that are not running yet, by position. running contains
	// the positions of running users. Lines are held only for workloads whose first user verifies
	// the amount of data, because only these users write lines before they run.
	held    map[int][]Line
	running map[int]bool
}

// NewSpeaker returns a speaker for a job before its first event.
func NewSpeaker(about About) *Speaker {
	return &Speaker{about: about, words: wordsOf(about.Workload), held: map[int][]Line{}, running: map[int]bool{}}
}

// Say returns HammerDB's lines for an event. Most events have none.
func (s *Speaker) Say(e job.Event) []Line {
	said := s.say(e)
	if s.about.Action != job.Run || s.words.verifying == "" || e.User == 0 || s.running[e.User] {
		return said
	}
	held := s.held[e.User]
	if e.State == "" && e.Trouble == nil {
		s.held[e.User] = append(held, said...)
		return nil
	}
	s.running[e.User] = true
	delete(s.held, e.User)
	if e.State == job.UserRunning {
		return append(said, held...)
	}
	return append(held, said...)
}

func (s *Speaker) say(e job.Event) []Line {
	switch {
	case e.State != "":
		return s.state(e.User, e.State)
	case e.Trouble != nil:
		return []Line{{Text: fmt.Sprintf("Error in Virtual User %d: %s", e.User, s.trouble(*e.Trouble))}}
	case e.Step != nil:
		return by(e.User, s.step(e)...)
	case e.User == 0 && (e.Phase != nil || e.Second != nil):
		return nil // without a monitor
	case e.Phase != nil:
		return by(e.User, s.begins(*e.Phase)...)
	case e.Second != nil:
		return by(e.User, s.second(*e.Second)...)
	case e.Answer != nil:
		return by(e.User, answer(*e.Answer)...)
	case e.Span != nil:
		return by(e.User, s.span(*e.Span)...)
	case e.Headline != nil && e.Headline.Spans != nil:
		return nil // each virtual user has reported its measurements
	case e.Headline != nil:
		return s.result(e.User, *e.Headline)
	case e.Facts != nil:
		if s.test = e.User == 0; s.test {
			return nil
		}
		return by(e.User, s.server(*e.Facts)...)
	case e.Message != "":
		return by(e.User, e.Message)
	}
	return nil
}

// server returns the lines about the server.
func (s *Speaker) server(f job.Facts) []string {
	said := []string{"DBVersion:" + f.Server}
	if s.words.verifying != "" {
		said = append(said, s.words.verifying)
	}
	return said
}

// by returns texts as lines of a virtual user.
func by(user int, texts ...string) []Line {
	list := make([]Line, len(texts))
	for i, text := range texts {
		list[i] = Line{user, text}
	}
	return list
}

func (s *Speaker) state(user int, is job.UserState) []Line {
	building := s.about.Action == job.Build && user > job.Monitor
	switch is {
	case job.UserRunning:
		if building {
			return by(user, Running, "Worker Thread")
		}
		return by(user, Running)
	case job.UserFailed:
		return by(user, Failed)
	}
	if !building {
		return by(user, append(s.refreshed(user), Succeeded)...)
	}
	s.ready++
	return append(by(user, Succeeded), Line{job.Monitor, fmt.Sprintf("Workers: %d Active %d Done", s.builders-s.ready, s.ready)})
}

func (s *Speaker) trouble(t job.Trouble) string {
	switch {
	case t.NoSchema:
		return fmt.Sprintf("Schema check failed %s %s schema does not exist", t.Schema, s.about.Title)
	case t.Broken == nil:
		return t.Error
	}
	return fmt.Sprintf("%s Schema check failed %s schema %s", s.about.Title, t.Schema, s.broken(*t.Broken))
}

// broken describes the rule that a schema breaks.
func (s *Speaker) broken(f job.Finding) string {
	if number, ok := strings.CutPrefix(f.Rule, "consistency_"); ok {
		return fmt.Sprintf("consistency check %s failed", number)
	}
	if f.Rule == "size" && len(f.Rows) == 1 && len(f.Rows[0]) == 2 {
		return fmt.Sprintf(s.words.wrongSize, f.Rows[0][0], f.Rows[0][1])
	}
	return "breaks the rule that " + f.Title
}

func (s *Speaker) step(e job.Event) []string {
	step := *e.Step
	switch step.Name {
	case job.StepBuild:
		said := []string{fmt.Sprintf("Building %s in %s", step.Of, step.Where)}
		if step.Users > 1 {
			said = append(said, "Monitor Thread")
		}
		return said
	case job.StepLoad:
		return s.load(e)
	case job.StepTable:
		return s.table(step)
	case job.StepCheck, job.StepDelete, job.StepDrop, job.StepCheckDatabase, job.StepCheckTables, job.StepCheckRoutines, job.StepCheckRule:
		return s.upkeep(step)
	case job.StepUsers:
		return []string{fmt.Sprintf("%d Virtual Users work from now on", step.Users)}
	case job.StepConnection, job.StepTimeProfile, job.StepTransactions, job.StepShare, job.StepCount:
		return s.preparation(step)
	case job.StepClients, job.StepLogIn, job.StepKeying, job.StepThinking:
		return clients(e.User, step)
	case job.StepGenerate, job.StepFile, job.StepRows:
		return s.generation(step)
	case job.StepNewSale:
		return []string{fmt.Sprintf("Refresh Insert Orderkey %d...", step.Count)}
	case job.StepOldSale:
		return []string{fmt.Sprintf("Refresh Delete Orderkey %d...", step.Count)}
	case job.StepCheckpoint, job.StepVacuum, job.StepPurge, job.StepWriteBack:
		return s.cleaning(step)
	}
	return s.making(step)
}

// generation returns the lines for steps of writing rows to files. Like HammerDB, it has no lines
// for history, order lines and new orders.
func (s *Speaker) generation(step job.Step) []string {
	switch {
	case step.Name == job.StepFile:
		return []string{"Opened File " + step.Of}
	case step.Name == job.StepRows && strings.Contains(s.words.generating[step.Of], "%d"):
		return []string{fmt.Sprintf(s.words.generating[step.Of], step.Count)}
	case step.Name == job.StepRows && s.words.generating[step.Of] != "":
		return []string{s.words.generating[step.Of]}
	case step.Name == job.StepGenerate && step.Stage == job.Ends:
		return []string{fmt.Sprintf(s.words.generated+" GENERATED in %.0f MINUTES", step.Of, math.Round(step.Seconds/60))}
	case step.Name == job.StepGenerate:
		return []string{fmt.Sprintf("Workers: %d Active %d Done", int64(step.Users)-step.Count, step.Count)}
	}
	return nil
}

// making returns the lines for the steps of a build, except loading.
func (s *Speaker) making(step job.Step) []string {
	switch step.Name {
	case job.StepDatabase:
		return []string{fmt.Sprintf("CREATING DATABASE %s under OWNER %s", step.Of, step.Owner)}
	case job.StepHistoryKey:
		return []string{fmt.Sprintf("Minimum %s version for invisible PK is %s", step.Of, step.Needs)}
	case job.StepSchema:
		who := step.Owner
		if who == "" {
			who = step.Of
		}
		if step.Stage == job.Ends {
			return []string{strings.ToUpper(who) + " SCHEMA COMPLETE"}
		}
		return []string{fmt.Sprintf("CREATING %s SCHEMA", strings.ToUpper(who))}
	case job.StepTables, job.StepIndexes:
		return []string{fmt.Sprintf("CREATING %s %s", s.words.section, strings.ToUpper(string(step.Name)))}
	case job.StepRoutines:
		return []string{fmt.Sprintf("CREATING %s %s", s.words.section, strings.ToUpper(step.Kind))}
	case job.StepStatistics:
		return []string{"GATHERING SCHEMA STATISTICS"}
	}
	return nil
}

// load returns the lines for the load of all tables, whose step has Users, or for a part of one
// table.
func (s *Speaker) load(e job.Event) []string {
	switch {
	case e.Step.Users > 0:
		s.builders = e.Step.Users
		if s.builders > 1 {
			return []string{"Monitoring Workers..."}
		}
		return nil
	case e.Step.Stage == job.Ends:
		return []string{"End:" + e.At.Format(Time)}
	}
	return []string{"Start:" + e.At.Format(Time)}
}

func (s *Speaker) table(step job.Step) []string {
	said := s.words.loading[step.Of].begins
	if step.Stage == job.Ends {
		said = s.words.loading[step.Of].ends
	}
	if said == "" {
		return nil
	}
	return []string{said}
}

// upkeep returns the lines for the steps of a check or a delete.
func (s *Speaker) upkeep(step job.Step) []string {
	switch {
	case step.Name == job.StepCheck && step.Stage == job.Begins:
		return []string{fmt.Sprintf("Checking %s %s schema", step.Of, s.about.Title)}
	case step.Name == job.StepCheck:
		return []string{fmt.Sprintf("%s %s Schema has been checked successfully.", step.Of, s.about.Title)}
	case step.Name == job.StepCheckDatabase:
		return []string{"Check database"}
	case step.Name == job.StepCheckTables:
		return []string{"Check tables and indices"}
	case step.Name == job.StepCheckRoutines:
		return []string{"Check " + routinesOf(s.about.Database)}
	case step.Name == job.StepCheckRule:
		return []string{"Check " + step.Of}
	case step.Name == job.StepDelete:
		return []string{fmt.Sprintf("%s %s %s has been deleted successfully.", step.Of, s.about.Title, schemaOf(s.about.Database))}
	case step.Name == job.StepDrop && step.Kind == "role":
		return []string{fmt.Sprintf("%s %s role has been deleted successfully.", step.Of, s.about.Title)}
	}
	return nil
}

// preparation returns the lines for what virtual users do before their transactions.
func (s *Speaker) preparation(step job.Step) []string {
	switch step.Name {
	case job.StepConnection:
		return []string{step.Of}
	case job.StepTimeProfile:
		return []string{"Initializing xtprof time profiler"}
	case job.StepTransactions:
		with := "with"
		if s.test {
			with = "without"
		}
		return []string{fmt.Sprintf("Processing %d transactions %s output suppressed...", step.Count, with)}
	case job.StepShare:
		var list strings.Builder
		for _, unit := range step.Units {
			fmt.Fprintf(&list, " %d", unit)
		}
		return []string{fmt.Sprintf("Assigned %d WIDs =%s based on VU count %d, Warehouses = %d out of %d",
			len(step.Units), list.String(), step.Users, len(step.Units), step.Count)}
	}
	return []string{"Rampup complete, Taking start Transaction Count."}
}

// clients returns the lines for a virtual user's asynchronous clients.
func clients(user int, step job.Step) []string {
	name := fmt.Sprintf("vuser%d:ac%d", user, step.Client)
	switch {
	case step.Name == job.StepClients && step.Stage == job.Ends:
		return []string{"All asynchronous clients complete"}
	case step.Name == job.StepClients:
		names := make([]string, step.Count)
		for i := range names {
			names[i] = fmt.Sprintf("vuser%d:ac%d", user, i+1)
		}
		return []string{"Started asynchronous clients:" + strings.Join(names, " ")}
	case step.Name == job.StepLogIn && step.Stage == job.Ends:
		return []string{"Connected " + name}
	case step.Name == job.StepLogIn:
		return []string{fmt.Sprintf("Delaying login of %s for %.0f ms", name, 1000*step.Seconds)}
	case step.Name == job.StepKeying:
		return []string{fmt.Sprintf("keytime:%s:%s:%.3f secs", step.Of, name, step.Seconds)}
	}
	return []string{fmt.Sprintf("thinktime:%s:%s:%.3f secs", step.Of, name, step.Seconds)}
}

// cleaning returns the lines for post-run maintenance. HammerDB reports checkpoint and vacuum as
// one step.
func (s *Speaker) cleaning(step job.Step) []string {
	switch {
	case step.Name == job.StepVacuum && step.Stage == job.Ends:
		return []string{"Checkpoint and Vacuum Complete"}
	case step.Name == job.StepCheckpoint, step.Name == job.StepVacuum:
		var said []string
		if !s.cleaned {
			s.cleaned = true
			said = append(said, "Checkpoint and Vacuum")
		}
		if step.Stage == job.LeftOut {
			said = append(said, "No checkpoint, because it needs a superuser")
		}
		return said
	case step.Needs != "":
		return []string{fmt.Sprintf("Minimum MariaDB version for dynamic innodb_purge_threads is %s, not purging", step.Needs)}
	}
	w := drains[step.Name]
	switch step.Stage {
	case job.LeftOut:
		return []string{w.leftOut}
	case job.Begins:
		return []string{fmt.Sprintf("Starting %s: %s %d", step.Name, w.what, step.Count)}
	case job.GoesOn:
		return []string{fmt.Sprintf("%s %d", w.what, step.Count)}
	case job.GivenUp:
		return []string{fmt.Sprintf("%d has not reduced in %.0f seconds, ending %s", step.Count, step.Seconds, step.Name)}
	}
	took := int(step.Seconds)
	return []string{fmt.Sprintf("%s complete in %d hrs:%02d mins:%02d secs", w.title, took/3600, took/60%60, took%60)}
}

// drains are the words for the backlogs that a server reduces after a run.
var drains = map[job.StepName]struct{ title, what, leftOut string }{
	job.StepPurge:     {"Purge", "history list length", "History list is 0 or cannot be queried, not purging"},
	job.StepWriteBack: {"Write back", "dirty buffer pages", "Dirty buffer pool pages is 0 or cannot be queried, not writing back"},
}

func (s *Speaker) begins(p job.PhaseSpan) []string {
	s.minute = 0
	switch p.Name {
	case job.LogIn:
		return nil
	case job.RampUp:
		return []string{fmt.Sprintf("Beginning rampup time of %s minutes", minutes(p.Length))}
	case job.Measure:
		return []string{fmt.Sprintf("Timing test period of %s in minutes", minutes(p.Length))}
	}
	return []string{"Test complete, Taking end Transaction Count."}
}

// second returns a line for each full minute of a phase.
func (s *Speaker) second(second job.Second) []string {
	minute := int(second.Passed() / time.Minute)
	if minute <= s.minute || second.Phase == job.LogIn {
		return nil
	}
	s.minute = minute
	if second.Phase == job.RampUp {
		return []string{fmt.Sprintf("Rampup %d minutes complete ...", minute)}
	}
	return []string{fmt.Sprintf("%d  ...,", minute)}
}

// result returns the lines for the result of a run. With a connection pool, each virtual user also
// reports its transactions.
func (s *Speaker) result(user int, r job.Result) []Line {
	said := by(user, append(s.headline(r), serverReport(r.ServerReport)...)...)
	if r.Pool == nil || len(said) == 0 || r.Elapsed == 0 {
		return said
	}
	total := make([]int64, len(r.Kinds))
	var each []Line
	for i, done := range r.Pool.Users {
		position := i + job.FirstWorker
		each = append(each, Line{position, fmt.Sprintf("VU%d processed %s transactions", position, byKind(r.Kinds, done))})
		for k, n := range done {
			total[k] += n
		}
	}
	for k, n := range total {
		total[k] = int64(math.Round(float64(n) * 60 / r.Elapsed))
	}
	return append(append(each, said...), Line{user, "CLIENT SIDE TPM : " + byKind(r.Kinds, total)})
}

// serverReport returns the lines for the server's own report.
func serverReport(r *job.ServerReport) []string {
	switch {
	case r == nil:
		return nil
	case r.Error != "":
		return []string{fmt.Sprintf("no %s: %s", r.Title, r.Error)}
	}
	return append([]string{"---" + r.Title + " OUTPUT---"}, strings.Split(r.Text, "\n")...)
}

// byKind lists kinds of transaction with their numbers: "neworder 12".
func byKind(kinds []string, numbers []int64) string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = fmt.Sprintf("%s %d", strings.ReplaceAll(kinds[i], " ", ""), n)
	}
	return strings.Join(list, " ")
}

func (s *Speaker) headline(r job.Result) []string {
	line := Result(r, s.about.Product)
	if line == "" {
		return nil
	}
	return []string{Active(r.Users, r.Clients), line}
}

// Active returns the line with the number of virtual users, and of the asynchronous clients of
// each.
func Active(users, clients int) string {
	if clients > 0 {
		return fmt.Sprintf("%d VU * %d AC = %d Active Sessions configured", users, clients, users*clients)
	}
	return fmt.Sprintf("%d Active Virtual Users configured", users)
}

// Result returns the headline of a run on the database with a title, or "" if the run has none.
// Like HammerDB, it also returns one if no transaction succeeded.
func Result(r job.Result, title string) string {
	if r.Line == "" && len(r.Metrics) == 0 && r.Elapsed > 0 && slices.Contains(r.Kinds, "new order") {
		return fmt.Sprintf("TEST RESULT : System achieved 0 NOPM from 0 %s TPM", title)
	}
	nopm, _ := r.Metric("NOPM") // 0 if the mix has no new orders, as in HammerDB
	tpm, counted := r.Metric("TPM")
	if r.Line != "" || !counted {
		return r.Line
	}
	return fmt.Sprintf("TEST RESULT : System achieved %d NOPM from %d %s TPM", int64(nopm), int64(tpm), title)
}

// minutes spells a duration to a hundredth of a minute.
func minutes(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Minutes()*100)/100, 'f', -1, 64)
}
