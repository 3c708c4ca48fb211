package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/control/tasks"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/repository"
)

// Problem says why a request was refused, in the format of RFC 9457. It repeats only names from the
// request, because values may be passwords.
type Problem struct {
	Type   string `json:"type" doc:"Always about:blank; the status has the kind of problem."`
	Title  string `json:"title" doc:"The status in words."`
	Status int    `json:"status"`
	Detail string `json:"detail" doc:"What is wrong, for people."`

	Class    string     `json:"class,omitempty" doc:"As in sledge-error-1: usage, connect, missing, exists."`
	Option   string     `json:"option,omitempty" doc:"The wrong setting, by the name that the request uses."`
	Cause    *job.Cause `json:"cause,omitempty" doc:"Why the database could not be used, as in a failed job."`
	Mistakes []Mistake  `json:"mistakes,omitempty" doc:"Each invalid value of a setting, and each malformed part of the request."`
}

// Mistake is an invalid value or a malformed part of a request.
type Mistake struct {
	Where   string `json:"where" doc:"The place in the request: body.action, query.limit."`
	Message string `json:"message"`
}

const problemKind = "application/problem+json"

var problemType = reflect.TypeFor[Problem]()

// Error implements error.
func (p *Problem) Error() string { return p.Detail }

// GetStatus implements huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return problemKind }

// problem creates a Problem.
func problem(status int, format string, args ...any) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// wrong creates the Problem of an invalid setting.
func wrong(option, format string, args ...any) *Problem {
	p := problem(http.StatusUnprocessableEntity, format, args...)
	p.Class, p.Option = "usage", option
	return p
}

// statuses are the status codes for errors, by the exit codes of the command line.
var statuses = map[job.Exit]int{
	job.ExitUsage:   http.StatusUnprocessableEntity,
	job.ExitMissing: http.StatusNotFound,
	job.ExitExists:  http.StatusConflict,
	job.ExitConnect: http.StatusConflict, // not a 5xx, because the database server failed, not this one
}

// problemOf turns an error into a Problem; it returns a Problem unchanged.
func problemOf(err error) *Problem {
	if p, is := errors.AsType[*Problem](err); is {
		return p
	}
	if busy, is := errors.AsType[*tasks.BusyError](err); is {
		if busy.Ending {
			return problem(http.StatusServiceUnavailable, "%v", err)
		}
		return problem(http.StatusTooManyRequests, "%v", err)
	}
	exit := job.ExitOf(err)
	status, known := statuses[exit]
	switch {
	case errors.Is(err, repository.ErrNotFound):
		status = http.StatusNotFound
	case !known:
		status = http.StatusInternalServerError
	}
	said := document.NewError(exit, err, job.Cut(strings.ReplaceAll(err.Error(), "\n", "; "), job.LongestText))
	p := problem(status, "%s", said.Message)
	p.Class, p.Option = said.Class, strings.TrimPrefix(said.Option, "--")
	if c := job.CauseOf(err); c != nil && c.Kind != job.BadOption { // Option says the same
		p.Cause = c
	}
	return p
}

// write responds with the problem outside of an operation.
func (p *Problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", problemKind)
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}

// withoutValues turns huma's errors about a request into Problems. huma's errors repeat values, which
// may be passwords.
func withoutValues(_ huma.Context, _ string, v any) (any, error) {
	found, is := v.(*huma.ErrorModel)
	if !is {
		return v, nil
	}
	p := problem(found.Status, "%s", found.Detail)
	if found.Status < http.StatusInternalServerError {
		p.Class = "usage"
	}
	for _, e := range found.Errors {
		if e != nil {
			p.Mistakes = append(p.Mistakes, Mistake{e.Location, e.Message})
		}
	}
	if len(p.Mistakes) > 0 {
		p.Detail = p.Mistakes[0].Where + ": " + p.Mistakes[0].Message
	}
	return p, nil
}

// nameOf returns the name of a type in the description. It contains the package, because two packages
// may have types of the same name.
func nameOf(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Name() == "" || t.PkgPath() == "" || strings.Contains(t.Name(), "[") {
		return hint
	}
	return path.Base(strings.TrimSuffix(t.PkgPath(), "/v2")) + "." + t.Name()
}
