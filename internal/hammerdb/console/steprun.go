package console

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sledge/internal/hammerdb/xmlfile"
	"sledge/internal/option"
)

// stepCommands are HammerDB's step workloads.
func stepCommands() []command {
	return []command{{
		name: "steprun", usage: "steprun [steps.xml]",
		help:  "Runs the workload with the existing virtual users, the primary. The replicas in the file of steps, HammerDB's config/steps.xml or the file that you name, join and leave the run. All are part of one job. Returns the job id as vurun does.",
		takes: varies, run: steprun,
	}}
}

// replica is a group of virtual users in the file of steps that join a run for some time.
type replica struct {
	name  string
	after option.Minutes // delay after the previous replica's start; for the first replica, after the ramp-up
	long  option.Minutes
	users int
}

func steprun(c *Console, ctx context.Context, call Call) (string, error) {
	if len(call.Args) > 1 {
		return "", usageError(call.Name)
	}
	b := c.book.Benchmark()
	if b.Queries || b.RampUp == "" {
		return "", fail("Error: Step Workload does not support %s", b.Name)
	}
	if err := c.requireScript(); err != nil {
		return "", err
	}
	replicas, err := readSteps(call)
	if err != nil {
		return "", fail("Error: %v", err)
	}
	spec := c.runSpec()
	rampUp, duration, err := c.times(spec.Options)
	if err != nil {
		return "", fail("Error: %v", err)
	}
	steps, err := stepsOf(replicas, rampUp, duration)
	if err != nil {
		return "", err
	}
	if set := spec.Options[stepsOption]; set != "" && set != "none" {
		return "", fail("Error: %s is %s, and steprun takes its steps from the file: set it to none, or use vurun", c.book.Names().Of(stepsOption), set)
	}
	c.sayWhoStarts(replicas, rampUp, duration)
	before := c.failures()
	result, err := c.runAll(ctx, option.Values{stepsOption: steps})
	if err != nil || c.failures() > before {
		return result, err
	}
	c.out.print("Primary complete\nStep workload complete")
	return result, nil
}

// stepsOption is the option of a run for users that join and leave.
const stepsOption = "steps"

// times are the ramp-up and the duration of a run.
func (c *Console) times(options option.Values) (rampUp, duration option.Minutes, err error) {
	for _, one := range []struct {
		option string
		to     *option.Minutes
	}{{c.book.Benchmark().RampUp, &rampUp}, {"duration", &duration}} {
		text, set := options[one.option]
		if !set {
			text = c.book.Value(one.option)
		}
		if err := one.to.UnmarshalText([]byte(text)); err != nil {
			return 0, 0, fmt.Errorf("%s: %w", c.book.Names().Of(one.option), err)
		}
	}
	return rampUp, duration, nil
}

// sayWhoStarts prints HammerDB's lines before a step workload, without the lines about HammerDB's
// processes, because Sledge does not start any.
func (c *Console) sayWhoStarts(replicas []replica, rampUp, duration option.Minutes) {
	c.out.printf("primary starts immediately, runs rampup for %s minutes then runs test for %s minutes with %d Active VU", spell(rampUp), spell(duration), c.workers())
	delays := "Delaying Start of Replicas to rampup " + spell(rampUp)
	for i, r := range replicas {
		since := "previous replica starts and"
		if i == 0 {
			since = "rampup completes and"
		}
		c.out.printf("%s starts %s minutes after %s runs test for %s minutes with %d Active VU", r.name, spell(r.after), since, spell(r.long), r.users)
		delays += " " + r.name + " " + spell(r.after)
	}
	c.out.print(delays)
}

// stepsOf returns the replicas as the value of stepsOption, or an error that names the replicas
// that would outlast the primary.
func stepsOf(replicas []replica, rampUp, duration option.Minutes) (string, error) {
	var parts, overruns []string
	begins := option.Minutes(0)
	for _, r := range replicas {
		begins += r.after
		if ends := begins + r.long; ends > duration {
			overruns = append(overruns, fmt.Sprintf("Error: %s is set to complete after %s minutes and is longer than the Primary running time of %s minutes",
				r.name, spell(rampUp+ends), spell(rampUp+duration)))
		}
		parts = append(parts, fmt.Sprintf("+%d@%s/%s", r.users, time.Duration(begins), time.Duration(r.long)))
	}
	if overruns != nil {
		return "", fail("%s\nError: Step workload primary running time must exceed the running time of all replicas", strings.Join(overruns, "\n"))
	}
	return strings.Join(parts, ","), nil
}

// spell writes a time in minutes, to a hundredth of a minute.
func spell(m option.Minutes) string {
	return strconv.FormatFloat(math.Round(time.Duration(m).Minutes()*100)/100, 'f', -1, 64)
}

// readSteps reads the named file of steps, or looks for HammerDB's file.
func readSteps(call Call) ([]replica, error) {
	var paths []string
	if len(call.Args) == 1 {
		path := call.Args[0]
		if !filepath.IsAbs(path) {
			path = filepath.Join(call.Folder, path)
		}
		paths = []string{path}
	} else {
		if program, err := os.Executable(); err == nil {
			folder := filepath.Dir(program)
			paths = append(paths, stepsBelow(filepath.Dir(folder)), stepsBelow(folder))
		}
		paths = append(paths, stepsBelow(call.Folder))
	}
	for _, path := range paths {
		text, err := option.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		replicas, err := parseSteps(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return replicas, nil
	}
	if len(call.Args) == 1 {
		return nil, fmt.Errorf("there is no file %s", paths[0])
	}
	return nil, fmt.Errorf("there is no %s and no config folder beside the program: copy HammerDB's folder there, or name the file, as in steprun /opt/HammerDB/config/steps.xml", paths[len(paths)-1])
}

// stepsBelow is the path of the file of steps below HammerDB's folder.
func stepsBelow(folder string) string { return filepath.Join(folder, "config", "steps.xml") }

// parseSteps parses a file of steps.
func parseSteps(text []byte) ([]replica, error) {
	root, err := xmlfile.Read(text)
	if err != nil {
		return nil, err
	}
	if root.Name != "steps" || len(root.Elements) == 0 {
		return nil, errors.New("it is not HammerDB's file of steps, which has replicas within steps")
	}
	var replicas []replica
	for _, e := range root.Elements {
		r, err := parseReplica(e)
		if err != nil {
			return nil, err
		}
		replicas = append(replicas, r)
	}
	return replicas, nil
}

func parseReplica(e xmlfile.Element) (r replica, err error) {
	r.name = e.Name
	text := func(key string) string {
		within, _ := e.Find(key)
		return within.Text
	}
	for _, minutes := range []struct {
		key string
		to  *option.Minutes
	}{{"start_after_prev", &r.after}, {"duration", &r.long}} {
		if err := minutes.to.UnmarshalText([]byte(text(minutes.key))); err != nil {
			return r, fmt.Errorf("%s of %s: %w", minutes.key, r.name, err)
		}
	}
	if r.long == 0 {
		return r, fmt.Errorf("duration of %s: it must be more than 0 minutes", r.name)
	}
	if r.users, err = strconv.Atoi(text("virtual_users")); err != nil || r.users < 1 {
		return r, fmt.Errorf("virtual_users of %s: %q is not a number of virtual users", r.name, text("virtual_users"))
	}
	return r, nil
}
