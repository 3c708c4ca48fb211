package generator

import (
	"sledge/internal/workload"
)

// commits are what a user holds of what it has committed.
type commits [][]workload.Commit

// add adds a commit. It allocates a page now and then: so long as a ledger is kept, memory
// grows by 28 bytes for each transaction that writes.
func (l *commits) add(one workload.Commit) {
	const page = 1024
	last := len(*l) - 1
	if last < 0 || len((*l)[last]) == page {
		*l = append(*l, make([]workload.Commit, 0, page))
		last++
	}
	(*l)[last] = append((*l)[last], one)
}

// certainty says whether a commit was acknowledged.
type certainty bool

const (
	certain certainty = false // the server has acknowledged it
	inDoubt certainty = true  // the connection was lost before the server answered
)

// account notes what the last transaction over a connection has committed, or, in doubt,
// may have, where a ledger is kept.
func (u *user) account(c *connection, t workload.Transaction, is certainty) {
	if u.commits == nil {
		return
	}
	if commit, leaves := c.Executor.(workload.Accountable).Committed(t, is == inDoubt); leaves {
		u.commits.add(commit)
	}
}

// commits lists the pages that users hold. None of them works any more.
func (g *group) commits() (pages [][]workload.Commit) {
	for _, u := range g.users {
		if u.commits != nil {
			pages = append(pages, *u.commits...)
		}
	}
	return pages
}
