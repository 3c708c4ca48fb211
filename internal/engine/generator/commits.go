package generator

import (
	"sledge/internal/workload"
)

// commits holds the recorded commits of a user.
type commits [][]workload.Commit

// add adds a commit. It allocates a page for every 1024 commits. A ledger takes 28 bytes of memory
// per transaction that writes.
func (l *commits) add(one workload.Commit) {
	const page = 1024
	last := len(*l) - 1
	if last < 0 || len((*l)[last]) == page {
		*l = append(*l, make([]workload.Commit, 0, page))
		last++
	}
	(*l)[last] = append((*l)[last], one)
}

// certainty is whether a commit was acknowledged.
type certainty bool

const (
	certain certainty = false // the server has acknowledged it
	inDoubt certainty = true  // the connection was lost before the server answered
)

// recordCommit records the certain or possible commit of the last transaction over a connection, if the
// run keeps a ledger.
func (u *user) recordCommit(c *connection, t workload.Transaction, is certainty) {
	if u.commits == nil {
		return
	}
	if commit, leaves := c.Executor.(workload.Accountable).Committed(t, is == inDoubt); leaves {
		u.commits.add(commit)
	}
}

// commits lists the commits of all users, in pages. It must be called after all users have ended.
func (g *group) commits() (pages [][]workload.Commit) {
	for _, u := range g.users {
		if u.commits != nil {
			pages = append(pages, *u.commits...)
		}
	}
	return pages
}
