package job

import (
	"maps"
	"strings"

	"sledge/internal/option"
)

// Group is a group of a run's users with its own workload, in addition to the users of the Spec.
// The names of its kinds of transaction and figures begin with the group's name: "orders.payment",
// "orders.NOPM".
type Group struct {
	Name     string        `json:"name"`
	Workload string        `json:"workload"`
	Files    Files         `json:"files,omitempty"`
	Options  option.Values `json:"options,omitempty"` // options of the workload, and its rate; the other options of database and load are the spec's
	Users    int           `json:"users"`
}

// Own returns the name of a kind or a figure within the group, and whether it belongs to the group.
func (g Group) Own(name string) (own string, is bool) { return strings.CutPrefix(name, g.Name+".") }

// Equal reports whether two groups have the same settings.
func (g Group) Equal(other Group) bool {
	return g.Name == other.Name && g.Workload == other.Workload && g.Users == other.Users && maps.Equal(g.Options, other.Options) && maps.Equal(g.Files, other.Files)
}

// Groups lists the groups of a run with several; it returns nil for any other job.
func (s Spec) Groups() []Group {
	if len(s.Beside) == 0 {
		return nil
	}
	return append([]Group{{Name: s.Group, Workload: s.Workload, Files: s.Files, Options: s.Options, Users: max(s.Users, 1)}}, s.Beside...)
}

// GroupsOf returns the number of the group of each kind of transaction: 0 in a run without groups.
func (s Spec) GroupsOf(kinds []string) []int {
	numbers := make([]int, len(kinds))
	for i, kind := range kinds {
		for n, g := range s.Groups() {
			if _, is := g.Own(kind); is {
				numbers[i] = n
			}
		}
	}
	return numbers
}

// AllUsers returns the number of virtual users, in all groups.
func (s Spec) AllUsers() int {
	n := s.Users
	for _, g := range s.Beside {
		n += g.Users
	}
	return n
}

// Workloads names the workloads of all groups: "tprocc + tproch".
func (s Spec) Workloads() string {
	text := s.Workload
	for _, g := range s.Beside {
		text += WorkloadsBy + g.Workload
	}
	return text
}

// WorkloadsBy separates the names of Spec.Workloads.
const WorkloadsBy = " + "

// GroupResult is the part of a result that belongs to one of several groups.
type GroupResult struct {
	Name     string `json:"name"`
	Workload string `json:"workload"`
	Users    int    `json:"users"`

	Contention *Contention `json:"contention,omitempty"`
	Agreement  *Agreement  `json:"agreement,omitempty"`

	Punctuality

	// LongestGap is nil if the group's transactions may take any time, such as queries.
	LongestGap  *Gap `json:"longest_gap,omitempty"`
	Standstills int  `json:"standstills,omitempty"`
}
