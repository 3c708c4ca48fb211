package console

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"sledge/internal/job"
)

// The states of a virtual user, in the words of vustatus.
const (
	waiting   = "WAIT IDLE"
	working   = "RUNNING"
	succeeded = "FINISH SUCCESS"
	failed    = "FINISH FAILED"
)

// virtualUsers are the created virtual users by position. The first is number 1; in a timed run it
// is the monitor.
type virtualUsers struct {
	mu     sync.Mutex
	status []string
}

func (v *virtualUsers) exist() bool { return v.count() > 0 }

func (v *virtualUsers) count() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.status)
}

func (v *virtualUsers) create(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.status = make([]string, n)
	for i := range v.status {
		v.status[i] = waiting
	}
}

// follow records the state of a virtual user.
func (v *virtualUsers) follow(position int, is job.UserState) {
	word := map[job.UserState]string{job.UserRunning: working, job.UserSucceeded: succeeded, job.UserFailed: failed}[is]
	v.mu.Lock()
	defer v.mu.Unlock()
	if word != "" && position >= 1 && position <= len(v.status) {
		v.status[position-1] = word
	}
}

// unfinished lists the positions of virtual users that have not reported their end.
func (v *virtualUsers) unfinished() []int {
	v.mu.Lock()
	defer v.mu.Unlock()
	var list []int
	for i, s := range v.status {
		if s == waiting || s == working {
			list = append(list, i+1)
		}
	}
	return list
}

// String returns the output of vustatus.
func (v *virtualUsers) String() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.status) == 0 {
		return "No Virtual Users found"
	}
	lines := make([]string, len(v.status))
	for i, s := range v.status {
		lines[i] = fmt.Sprintf(" %d = %s", i+1, s)
	}
	return strings.Join(lines, "\n")
}

// userCommands are the commands of virtual users.
func userCommands() []command {
	return []command{
		{
			name: "vucreate", usage: "vucreate",
			help: "Creates the virtual users that vuset vu asks for, and one more to monitor a timed run. Loads the script if none is loaded.",
			run:  vucreate,
		},
		{
			name: "vurun", usage: "vurun",
			help: "Runs the workload with the virtual users, and creates them if there are none. Waits until the whole run is done, and returns the job id as \"Benchmark Run jobid=ID\".",
			run:  vurun,
		},
		{
			name: "vudestroy", usage: "vudestroy",
			help: "Destroys the virtual users, so that others can be created.",
			run:  vudestroy,
		},
		{
			name: "vustatus", usage: "vustatus",
			help: "Shows the state of each virtual user.",
			run: func(c *Console, _ context.Context, _ Call) (string, error) {
				c.out.print(c.users.String())
				return "", nil
			},
		},
		{
			name: "vucomplete", usage: "vucomplete",
			help: "Returns true when every virtual user has finished, with or without an error, and false otherwise.",
			run: func(c *Console, _ context.Context, _ Call) (string, error) {
				return strconv.FormatBool(c.vucomplete()), nil
			},
		},
	}
}

func (c *Console) vucomplete() bool { return len(c.users.unfinished()) == 0 }

func vucreate(c *Console, _ context.Context, _ Call) (string, error) {
	return "", c.createUsers()
}

// createUsers records the number of virtual users. They connect when the run begins, so creating a
// thousand takes no time.
func (c *Console) createUsers() error {
	if c.users.exist() {
		return fail("Error: Virtual Users exist, destroy with vudestroy before creating")
	}
	if err := c.requireScript(); err != nil {
		return err
	}
	n := c.book.GenericInt(virtualUserSection, "virtual_users")
	first := firstCreated
	total := strconv.Itoa(n) + " Virtual Users Created"
	if c.script.monitored {
		n++
		first = "Vuser 1 created MONITOR - WAIT IDLE"
		total = strconv.Itoa(n) + " Virtual Users Created with Monitor VU"
	}
	c.users.create(n)
	c.out.print(created(n, first))
	c.openUserLog()
	c.out.print(total)
	return nil
}

// firstCreated is the line for virtual user 1 if it is not the monitor.
const firstCreated = "Vuser 1 created - WAIT IDLE"

// created returns the lines for new virtual users; first is the line for virtual user 1.
func created(n int, first string) string {
	lines := []string{first}
	for i := 2; i <= n; i++ {
		lines = append(lines, fmt.Sprintf("Vuser %d created - WAIT IDLE", i))
	}
	return strings.Join(lines, "\n")
}

func vudestroy(c *Console, _ context.Context, _ Call) (string, error) {
	if !c.users.exist() {
		c.out.print("No Virtual Users found to destroy")
		return "", nil
	}
	c.users.create(0)
	c.endUserLog()
	c.out.print("vudestroy success")
	return "", nil
}
