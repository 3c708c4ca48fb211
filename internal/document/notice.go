package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sledge/internal/job"
	"sledge/internal/report"
)

// Notice is the body of a webhook: it reports the end of a job, or is a test. Its texts are short and
// contain no control characters.
type Notice struct {
	Schema string    `json:"schema"` // always NoticeSchema
	Event  string    `json:"event"`  // ended, failed (also: not valid, or killed), missed (a threshold), or test
	At     time.Time `json:"at"`     // the end of the job
	Title  string    `json:"title"`  // the notice in a few words

	// Text is the title, the reason and the link in one line, for chat services that show the member
	// text. The characters &, < and > are escaped as in HTML, and @ mentions no user.
	Text string `json:"text"`

	Link string       `json:"link,omitempty"` // the address of the job's page
	Job  *NoticeOfJob `json:"job,omitempty"`  // missing in a test
}

// NoticeOfJob is the job of a notice.
type NoticeOfJob struct {
	ID       job.ID            `json:"id,omitempty"`
	Action   job.Action        `json:"action"`
	Database string            `json:"database"`
	Workload string            `json:"workload"`
	Labels   map[string]string `json:"labels,omitempty"` // the first ones
	Users    int               `json:"users,omitempty"`
	Status   job.Status        `json:"status"`
	Reason   string            `json:"reason,omitempty"`   // why the job did not succeed
	Headline string            `json:"headline,omitempty"` // the first figure of a run, if it may be used
	Verdict  string            `json:"verdict,omitempty"`  // on the figures of a job that did not succeed
	Begun    time.Time         `json:"begun,omitzero"`
	Ended    time.Time         `json:"ended,omitzero"`
}

// The events of notices.
const (
	NoticeEnded  = "ended"
	NoticeFailed = "failed"
	NoticeMissed = "missed"
	NoticeTest   = "test"
)

// noticeEvents are the events and the words for a status at the end of a job.
var noticeEvents = map[job.Status]struct{ event, words string }{
	job.Succeeded: {NoticeEnded, "succeeded"},
	job.Partial:   {NoticeEnded, "was stopped"},
	job.Missed:    {NoticeMissed, "missed a threshold"},
	job.Invalid:   {NoticeFailed, "is not valid"},
	job.Failed:    {NoticeFailed, "failed"},
	job.Killed:    {NoticeFailed, "was killed"},
}

// mostNoticeLabels limits the labels of a notice.
const mostNoticeLabels = 10

// NewNotice returns the notice of a job that has ended. The title names the database and the workload
// as given.
func NewNotice(j job.Job, database, workload string) Notice {
	of := &NoticeOfJob{
		ID: j.ID, Action: j.Spec.Action, Database: j.Spec.Database, Workload: j.Spec.Workloads(), Users: report.Users(j),
		Status: j.Status, Reason: brief(j.Reason), Verdict: report.Worth(j),
		Begun: j.Begun.UTC(), Ended: j.Ended.UTC(),
	}
	labels := slices.Sorted(maps.Keys(j.Spec.Labels))
	for _, name := range labels[:min(len(labels), mostNoticeLabels)] {
		if of.Labels == nil {
			of.Labels = map[string]string{}
		}
		of.Labels[brief(name)] = brief(j.Spec.Labels[name])
	}
	end := noticeEvents[j.Status]
	title := strings.ToUpper(string(of.Action[:1])) + string(of.Action[1:]) + " " + end.words
	if of.Headline = brief(report.Headline(j)); end.event == NoticeFailed {
		of.Headline = "" // a figure that must not be used
	}
	if of.Headline != "" {
		title += ": " + of.Headline
	}
	return Notice{Schema: NoticeSchema, Event: end.event, At: of.Ended, Title: fmt.Sprintf("%s (%s, %s)", title, brief(database), brief(workload)), Job: of}
}

// NewTestNotice returns a notice that tests a receiver.
func NewTestNotice(at time.Time) Notice {
	return Notice{Schema: NoticeSchema, Event: NoticeTest, At: at.UTC(), Title: "Test: this receiver gets the notices of Sledge"}
}

// forChat escapes what chat services read as markup. A zero-width space after @ prevents mentions.
var forChat = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "@\u200b")

// WithLink returns the notice with its text and the link to the job, given the address of the web
// application; "" adds no link.
func (n Notice) WithLink(pages string) Notice {
	n.Text = forChat.Replace(n.Title)
	if n.Job != nil && n.Job.Reason != "" {
		n.Text += ". " + forChat.Replace(n.Job.Reason)
	}
	if pages == "" {
		return n
	}
	n.Link = strings.TrimSuffix(pages, "/") + "/"
	if n.Job != nil {
		n.Link += "#/jobs/" + string(n.Job.ID)
	}
	n.Text += " " + n.Link
	return n
}

// brief returns a text of others in one short line without control characters.
func brief(text string) string {
	return report.Printable(job.Cut(strings.Join(strings.Fields(text), " "), job.LongestInList))
}
