package api

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// A member is a user with roles in projects only. A job belongs to the project that its label names, and so
// does a saved set-up whose setting labels has that label.

// ranked lists the roles. Each one includes those before it.
var ranked = []string{"look", "act", "own"}

// includes reports whether a role includes another one.
func includes(role, other string) bool {
	return slices.Index(ranked, role) >= slices.Index(ranked, other)
}

// membersMay lists the operations that members may use, each with the role that they need in the project of
// every job and set-up that the path and the query name. Operations that name none need the role in any
// project. Members may use no other operation.
var membersMay = map[string]string{
	"get-version":     "look",
	"list-databases":  "look",
	"list-workloads":  "look",
	"list-options":    "look",
	"list-manual":     "look",
	"get-manual-page": "look",
	"search-manual":   "look",

	"list-jobs":       "look",
	"list-curves":     "look",
	"show-job":        "look",
	"show-result":     "look",
	"show-series":     "look",
	"show-samples":    "look",
	"show-activity":   "look",
	"show-points":     "look",
	"show-timing":     "look",
	"show-histograms": "look",
	"show-plans":      "look",
	"show-output":     "look",
	"show-failures":   "look",
	"export-job":      "look",
	"report-job":      "look",
	"compare-jobs":    "look",
	"best-runs":       "look",
	"list-notes":      "look",
	"watch-job":       "look",
	"view-job":        "look",
	"list-users":      "look",
	"list-setups":     "look",
	"show-setup":      "look",

	"start-setup":  "act",
	"stop-job":     "act",
	"abort-job":    "act",
	"annotate-job": "act",
	"delete-job":   "act",
	"add-note":     "act",
	"change-note":  "act",
	"delete-note":  "act",

	"share":        "own",
	"list-shares":  "look", // the own ones
	"revoke-share": "look",
}

// notThere is the reason for what is in no project of a member, whether it exists or not.
const notThere = "your projects have no such job or set-up: give its whole ID"

// Within returns the status and the reason with which a request of a member is refused; 0 if it is allowed.
// roles are the member's roles by project.
func (a *API) Within(roles map[string]string, r *http.Request) (status int, reason string) {
	operation, path := a.operationOf(r)
	needed, is := membersMay[operation]
	if !is {
		return http.StatusForbidden, "roles in projects do not include this: it needs a role on the whole server, which its administrator gives"
	}
	projects, exist := a.projectsOf(path, r.WithContext(repository.Visible(r.Context(), slices.Collect(maps.Keys(roles)))))
	if !exist {
		return http.StatusNotFound, notThere
	}
	if len(projects) == 0 {
		for _, role := range roles {
			if includes(role, needed) {
				return 0, ""
			}
		}
		return http.StatusForbidden, fmt.Sprintf("this needs the role %s in a project: ask the administrator of this server for it", needed)
	}
	for _, project := range projects {
		switch role := roles[project]; {
		case role == "":
			return http.StatusNotFound, notThere
		case !includes(role, needed):
			return http.StatusForbidden, fmt.Sprintf("you have the role %s in the project %s, and this needs the role %s: ask the administrator of this server for it", role, project, needed)
		}
	}
	return 0, ""
}

// projectsOf returns the projects of the jobs and the set-up that a request names; "" is that of what belongs
// to none. It returns false if one of them does not exist.
func (a *API) projectsOf(path string, r *http.Request) (projects []string, exist bool) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, false
	}
	var jobs []string
	for _, name := range naming {
		jobs = append(jobs, query[name]...)
	}
	of, named, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix+"/"), "/")
	named, _, _ = strings.Cut(named, "/")
	switch {
	case named == "" || !strings.Contains(path, "{"):
	case of == "jobs":
		jobs = append(jobs, named)
	case of == "setups":
		number, err := strconv.ParseInt(named, 10, 64)
		if err != nil {
			return nil, false
		}
		setup, err := a.Store.Setup(r.Context(), number)
		if err != nil {
			return nil, false
		}
		projects = append(projects, projectOf(setup))
	case of == "shares": // these belong to the user and not to a project
	default:
		return nil, false
	}
	for _, id := range jobs {
		j, err := a.Store.Get(r.Context(), job.ID(id))
		if err != nil || !strings.EqualFold(string(j.ID), id) {
			return nil, false
		}
		projects = append(projects, j.Spec.Labels[job.LabelProject])
	}
	return projects, true
}

// projectOf returns the project of a saved set-up, or "".
func projectOf(setup repository.Setup) string {
	labels, _ := settings.Labels(setup.Settings["labels"]) // they were checked when the set-up was saved
	return labels[job.LabelProject]
}

// sees reports whether the user of a request sees what is in a project.
func (b *base) sees(ctx context.Context, project string) bool {
	roles := b.rolesOf(ctx)
	return roles == nil || roles[project] != ""
}

// rolesOf returns the roles of a member, by project; nil for a user with a role on the whole server.
func (b *base) rolesOf(ctx context.Context) map[string]string {
	if b.Projects == nil {
		return nil
	}
	return b.Projects(ctx)
}
