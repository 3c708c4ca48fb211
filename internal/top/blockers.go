package top

import (
	"cmp"
	"slices"
	"strconv"
)

// Node is a session that holds a lock for which others wait, that waits for one, or both.
type Node struct {
	Session
	Known    bool  // whether the server showed the session; otherwise only its ID is known
	Lock     *Lock // its wait; nil if it does not wait
	Deadlock bool  // it waits for one of those that wait for it
	Others   int   // sessions for which it waits beside the one above it
	Waiters  []*Node
	Blocked  int // all sessions below it
}

// Blockers returns the sessions that others wait for as trees: each session is below the one that it waits
// for. The roots do not wait, or are part of a deadlock; those that block most sessions are first. A session
// that waits for several is only below the first: one that does not wait itself, if there is one.
func (r Reading) Blockers() []*Node {
	nodes, waits := map[string]*Node{}, map[string][]Lock{}
	node := func(id string) *Node {
		if nodes[id] == nil {
			nodes[id] = &Node{Session: Session{ID: id}}
		}
		return nodes[id]
	}
	for _, l := range r.Locks {
		if l.Waiter == l.Holder || slices.ContainsFunc(waits[l.Waiter], func(other Lock) bool { return other.Holder == l.Holder }) {
			continue
		}
		node(l.Waiter)
		node(l.Holder)
		waits[l.Waiter] = append(waits[l.Waiter], l)
	}
	for _, s := range r.Sessions {
		if n := nodes[s.ID]; n != nil {
			n.Session, n.Known = s, true
		}
	}
	var ids []string
	for id := range nodes {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, compareIDs)
	for _, id := range ids {
		locks := waits[id]
		if len(locks) == 0 {
			continue
		}
		first := slices.MinFunc(locks, func(a, b Lock) int {
			return cmp.Or(cmp.Compare(len(waits[a.Holder]), len(waits[b.Holder])), compareIDs(a.Holder, b.Holder))
		})
		n := nodes[id]
		n.Lock, n.Others = &first, len(locks)-1
		nodes[first.Holder].Waiters = append(nodes[first.Holder].Waiters, n)
	}
	visited := map[*Node]bool{}
	var roots []*Node
	for _, id := range ids {
		if n := nodes[id]; n.Lock == nil {
			n.count(visited)
			roots = append(roots, n)
		}
	}
	for _, id := range ids { // those below no root wait in a circle, or for one
		n := nodes[id]
		if visited[n] {
			continue
		}
		passed := map[*Node]bool{}
		for !passed[n] {
			passed[n] = true
			n = nodes[n.Lock.Holder]
		}
		n.Deadlock = true
		above := nodes[n.Lock.Holder]
		above.Waiters = slices.DeleteFunc(above.Waiters, func(one *Node) bool { return one == n })
		n.count(visited)
		roots = append(roots, n)
	}
	slices.SortStableFunc(roots, func(a, b *Node) int { return cmp.Compare(b.Blocked, a.Blocked) })
	return roots
}

// count counts the sessions below a node.
func (n *Node) count(visited map[*Node]bool) {
	visited[n] = true
	for _, one := range n.Waiters {
		one.count(visited)
		n.Blocked += 1 + one.Blocked
	}
}

// compareIDs compares IDs as numbers, if they are.
func compareIDs(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}
