package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/job"
	"sledge/internal/web/share"
)

const tagShares = "Shared links"

// Shares makes, lists and revokes the shared links of the user of a request.
type Shares interface {
	Add(ctx context.Context, subject share.Subject, until time.Time) (l share.Link, token string, err error)
	List(ctx context.Context) ([]share.Link, error)
	Revoke(ctx context.Context, id string) error
}

// Shared is a shared link, without its token.
type Shared struct {
	ID    string    `json:"id" doc:"It is in the address of the shared page, and in the audit log."`
	Kind  string    `json:"kind" enum:"job,comparison,board"`
	IDs   []string  `json:"ids" doc:"ID of the job or the board that the link shows, or IDs of the runs."`
	By    string    `json:"by" doc:"The user who made the link."`
	Made  time.Time `json:"made"`
	Until time.Time `json:"until" doc:"From then on it does not work."`
}

// SharedNow is a new shared link.
type SharedNow struct {
	Shared
	Path string `json:"path" doc:"Append it to the address of the pages to get the link. It contains a token that the server saves nowhere."`
}

// SharedList lists shared links.
type SharedList struct {
	Links []Shared `json:"links"`
}

// ToShare is what to share.
type ToShare struct {
	Kind  string    `json:"kind" enum:"job,comparison,board"`
	IDs   []string  `json:"ids" minItems:"1" maxItems:"26" doc:"The ID of a job or a board, or those of runs to compare; the first one is the baseline."`
	Until time.Time `json:"until,omitzero" doc:"When the link stops working; in 30 days if missing, in a year at most."`
}

func sharedOf(l share.Link) Shared {
	return Shared{l.ID, l.Subject.Kind, l.Subject.IDs, l.By, l.Made, l.Until}
}

// sharedLinks are the shared links.
type sharedLinks struct{ *base }

func (s sharedLinks) add(t *table) {
	list := get("list-shares", "/shares", "List the shared links that work", tagShares)
	list.Description = "A user sees their own links; a user with the role own sees all links."
	add(t, list, func(ctx context.Context, _ *struct{}) (*of[SharedList], error) {
		d := SharedList{Links: []Shared{}}
		if s.Shares == nil {
			return answer(d, nil)
		}
		links, err := s.Shares.List(ctx)
		for _, l := range links {
			d.Links = append(d.Links, sharedOf(l))
		}
		return answer(d, err)
	})
	create := huma.Operation{
		OperationID: "share", Method: http.MethodPost, Path: "/shares", Tags: []string{tagShares}, DefaultStatus: http.StatusCreated,
		Summary:     "Make a link that shows one job, one comparison or one board to people without a login",
		Description: "Visitors with the link see what the page of the job, the comparison or the board shows, and nothing else.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
	}
	add(t, create, func(ctx context.Context, in *of[ToShare]) (*of[SharedNow], error) {
		subject, err := s.subject(ctx, in.Body)
		if err != nil {
			return nil, err
		}
		if s.Shares == nil {
			return nil, problem(http.StatusConflict, "this server shares nothing, because it has no logins")
		}
		until := in.Body.Until
		if until.IsZero() {
			until = time.Now().Add(share.UsualTime)
		}
		l, token, err := s.Shares.Add(ctx, subject, until)
		switch {
		case errors.Is(err, share.ErrTime):
			return nil, wrong("until", "until: %v", err)
		case errors.Is(err, share.ErrMany):
			return nil, problem(http.StatusConflict, "%v", err)
		case err != nil:
			return nil, err
		}
		s.Note(ctx, "shared "+subject.String()+" by link "+l.ID+" until "+l.Until.Format(time.RFC3339))
		return answer(SharedNow{sharedOf(l), "shared#" + token}, nil)
	})
	revoke := huma.Operation{
		OperationID: "revoke-share", Method: http.MethodDelete, Path: "/shares/{id}", Tags: []string{tagShares},
		Summary:     "Revoke a shared link",
		Description: "Open pages of the link stop at once. Only the user who made the link and users with the role own can revoke it.",
	}
	add(t, revoke, func(ctx context.Context, in *struct {
		ID string `path:"id" maxLength:"24"`
	},
	) (*struct{}, error) {
		err := share.ErrMissing
		if s.Shares != nil {
			err = s.Shares.Revoke(ctx, in.ID)
		}
		if errors.Is(err, share.ErrMissing) {
			return nil, problem(http.StatusNotFound, "%v", err)
		}
		return nil, err
	})
}

// subject returns what to share, with complete IDs of things that exist. A member shares only jobs of the
// projects that it owns.
func (s sharedLinks) subject(ctx context.Context, wanted ToShare) (share.Subject, error) {
	subject := share.Subject{Kind: wanted.Kind}
	roles := s.rolesOf(ctx)
	if several := wanted.Kind == share.Comparison; several != (len(wanted.IDs) > 1) {
		return subject, wrong("ids", "ids: a job and a board have one ID, and a comparison two or more")
	}
	if wanted.Kind == share.Board && roles != nil {
		return subject, problem(http.StatusForbidden, "a board belongs to no project: share jobs and comparisons of your projects")
	}
	if wanted.Kind == share.Board {
		number, err := strconv.ParseInt(wanted.IDs[0], 10, 64)
		if err != nil {
			return subject, wrong("ids", "ids: the ID of a board is a number")
		}
		one, err := s.Store.Board(ctx, number)
		subject.IDs = []string{strconv.FormatInt(one.Number, 10)}
		return subject, err
	}
	for _, id := range wanted.IDs {
		j, err := s.Store.Get(ctx, job.ID(id))
		if err != nil && roles == nil {
			return subject, err
		}
		if err != nil || roles != nil && !includes(roles[j.Spec.Labels[job.LabelProject]], "own") {
			return subject, problem(http.StatusNotFound, "%s", notThere)
		}
		subject.IDs = append(subject.IDs, string(j.ID))
	}
	return subject, nil
}

// visible lists, for each kind of subject, the operations that its page needs, each with the parameters
// of the query that it may have. A visitor may use no other operation and no other parameter.
var visible = map[string]map[string][]string{
	share.Job: {
		"list-databases": nil,
		"list-workloads": nil,
		"show-job":       nil,
		"show-series":    {"points", "from", "until"},
		"show-samples":   {"points", "from", "until"},
		"show-activity":  {"points", "from", "until"},
		"show-points":    {"points", "from", "until"},
		"show-timing":    {"phase", "users"},
		"show-plans":     nil,
		"show-output":    {"user", "text", "from", "limit"},
		"show-failures":  nil,
		"list-notes":     nil,
		"view-job":       {"after"},
		"list-users":     {"state", "text", "from", "limit"},
		"report-job":     nil,
	},
	share.Comparison: {
		"list-databases":  nil,
		"list-workloads":  nil,
		"compare-jobs":    {"id"},
		"show-series":     {"points"},
		"show-histograms": nil,
		"report-job":      {"with"},
	},
	share.Board: {
		"list-databases": nil,
		"list-workloads": nil,
		"show-board":     nil,
		"show-job":       nil,
		"show-points":    nil,
		"view-job":       {"after"},
	},
}

// naming are the parameters of the query that name jobs.
var naming = []string{"id", "with"}

// Shows reports whether a shared link to a subject shows what a request asks for: the operation, each
// parameter and each ID must be among those that the link's page needs.
func (a *API) Shows(subject share.Subject, r *http.Request) bool {
	operation, path := a.operationOf(r)
	allowed, is := visible[subject.Kind][operation]
	if !is {
		return false
	}
	ids := subject.IDs
	if subject.Kind == share.Board && operation != "show-board" {
		ids = a.jobsOfBoard(r.Context(), subject)
	}
	given := strings.Split(r.URL.Path, "/")
	for i, part := range strings.Split(path, "/") {
		if strings.HasPrefix(part, "{") && (i >= len(given) || !slices.Contains(ids, given[i])) {
			return false
		}
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	for name, values := range query {
		if !slices.Contains(allowed, name) {
			return false
		}
		if slices.Contains(naming, name) && slices.ContainsFunc(values, func(id string) bool { return !slices.Contains(ids, id) }) {
			return false
		}
	}
	return err == nil
}
