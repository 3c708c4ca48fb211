package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sledge/internal/datagen"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
)

// datagenCommands are the commands that write flat files.
func datagenCommands() []command {
	var words []string
	for _, o := range datagenOptions {
		words = append(words, o.word)
	}
	return []command{
		{
			name: "dgset", usage: "dgset [" + strings.Join(words, "|") + "] value", takes: 2, run: dgset,
			help: "Configures the data generation: virtual users, warehouses or scale factor, the directory for the files, whether to compress them, and whether to overwrite existing ones.",
		},
		{
			name: "datagenrun", usage: "datagenrun", run: datagenrun,
			help: "Writes the initial rows of the chosen benchmark to flat files, with scripts that load them with the database's own client, and waits until all are written.",
		},
	}
}

// datagenSection is the section of the generic dictionary that dgset sets.
const datagenSection = "datageneration"

// datagenOption is a word of dgset.
type datagenOption struct{ word, key, title string }

var datagenOptions = []datagenOption{
	{"vu", "gen_num_vu", "virtual users"},
	{"scale_fact", "gen_scale_fact", "scale factor"},
	{"warehouse", "gen_count_ware", "warehouses"},
	{"directory", "gen_directory", "directory"},
	{"compress", "gen_compress", "compress"},
	{"overwrite", "gen_overwrite", "overwrite"},
}

func dgset(c *Console, _ context.Context, call Call) (string, error) {
	word, value := call.Args[0], call.Args[1]
	var words []string
	for _, o := range datagenOptions {
		if o.word == word {
			return "", c.setDatagen(call, o, value)
		}
		words = append(words, o.word)
	}
	return "", invalidOption(call.Name, word, words)
}

func (c *Console) setDatagen(call Call, o datagenOption, value string) error {
	if o.word == "directory" && value != "" {
		// The next start of the console may have another working folder.
		value = inFolder(call.Folder, value)
		if err := datagen.CheckFolder(value); err != nil {
			return fail("%s", capitalised(err))
		}
	}
	if users, err := strconv.Atoi(value); err == nil && o.word == "vu" {
		if err := c.checkDatagenUsers(users); err != nil {
			return err
		}
	}
	if err := c.setGeneric(datagenSection, o.key, value); err != nil {
		return c.explain(call.Name, err)
	}
	if o.word == "directory" {
		value = c.datagenFolder() // the folder in effect, even if the setting is empty
	}
	c.out.printf("Set %s to %s for data generation", o.title, value)
	return nil
}

// checkDatagenUsers refuses more virtual users than units, if each user needs a unit.
func (c *Console) checkDatagenUsers(users int) error {
	b := c.book.Benchmark()
	if !b.UnitEach {
		return nil
	}
	units := c.book.GenericInt(datagenSection, b.Generated)
	if users <= units {
		return nil
	}
	return fail("Error:Data generation virtual users must be less than or equal to number of %s\n"+
		"You have %d virtual users generating %d %s: set the %s first by dgset %s", b.Unit, users, units, b.Unit, b.Unit, datagenWord(b.Generated))
}

// datagenWord returns the word of dgset for a setting.
func datagenWord(key string) string {
	i := slices.IndexFunc(datagenOptions, func(o datagenOption) bool { return o.key == key })
	return datagenOptions[i].word
}

// datagenFolder returns the folder for the files.
func (c *Console) datagenFolder() string {
	if folder := c.book.Generic(datagenSection, "gen_directory"); folder != "" {
		return folder
	}
	return TempDir(c.Environ)
}

// datagenText returns the output of print datagen.
func (c *Console) datagenText() string {
	b := c.book.Benchmark()
	return fmt.Sprintf("Data Generation set to build a %s schema for %s with %s %s with %s virtual users in %s",
		b.Name, c.book.Database().Title, c.book.Generic(datagenSection, b.Generated), b.Unit, c.book.Generic(datagenSection, "gen_num_vu"), c.datagenFolder())
}

func datagenrun(c *Console, ctx context.Context, _ Call) (string, error) {
	config, err := c.datagenConfig()
	if err != nil {
		return "", err
	}
	b := c.book.Benchmark()
	c.confirm(fmt.Sprintf("Ready to generate the data for a %s %s %s schema\nin directory %s?",
		fmt.Sprintf(b.Asked, c.book.Generic(datagenSection, b.Generated)), config.Plan.Database.Title, config.Plan.Workload.Title, config.Folder))
	screen := &datagenScreen{screen: screen{
		console: c, showOutput: c.book.GenericFlag(virtualUserSection, "show_output"),
		speaker: lines.NewSpeaker(lines.About{Workload: config.Plan.Workload.Name}),
	}, users: config.Workers}
	if config.Workers > 1 {
		screen.users++ // the monitor
	}
	config.Tell = screen.tell
	result, err := datagen.Generate(ctx, config)
	screen.end(err)
	if err != nil {
		return "", c.explainDatagen(ctx, err)
	}
	if s := result.Scripts; s != (datagen.Scripts{}) {
		c.out.printf("Run %s, %s and %s in %s, in this order: each begins with instructions", s.Create, s.Load, s.Finish, config.Folder)
		if s.LoadShell != "" {
			c.out.printf("Instead of %s, use %s, or %s on Windows", s.Load, s.LoadShell, s.LoadWindows)
		}
	} else {
		c.out.print("No scripts: these rows break keys of the schema")
	}
	return "", nil
}

// datagenConfig checks the requirements of a generation before it begins.
func (c *Console) datagenConfig() (datagen.Config, error) {
	if c.users.exist() {
		return datagen.Config{}, fail("Error: Cannot generate data with Virtual Users active, destroy Virtual Users first")
	}
	if err := c.checkDatagenUsers(c.book.GenericInt(datagenSection, "gen_num_vu")); err != nil {
		return datagen.Config{}, err
	}
	spec := c.spec(job.Check) // files may hold more rows than a schema may
	b := c.book.Benchmark()
	if b.Generated == "" {
		return datagen.Config{}, fail("Error: Sledge cannot generate the data of %s as files: use buildschema", b.Title)
	}
	spec.Options[b.Size] = c.book.Generic(datagenSection, b.Generated)
	spec.Options[b.Builders] = "1" // a generation has workers instead of builders
	compression := datagen.Uncompressed
	if c.book.GenericFlag(datagenSection, "gen_compress") {
		compression = datagen.Gzip
	}
	order, err := c.order(spec)
	return datagen.Config{
		Plan: order.Plan, Folder: c.datagenFolder(), Workers: c.book.GenericInt(datagenSection, "gen_num_vu"), Version: c.Version,
		Format: datagen.Tbl, Compression: compression, Overwrite: c.book.GenericFlag(datagenSection, "gen_overwrite"),
	}, err
}

// explainDatagen turns an error into the console's output, and names the console's command that
// fixes it.
func (c *Console) explainDatagen(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return failWith(job.ExitStopped, "Data Generation cancelled")
	}
	text := capitalised(err)
	if errors.As(err, new(datagen.ExistsError)) {
		text += ": choose another directory by dgset directory, or overwrite it by dgset overwrite true"
	}
	return failWith(job.ExitOf(err), "%s", text)
}

// capitalised returns an error's text with a capital letter at the beginning, like HammerDB's
// lines.
func capitalised(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// datagenScreen shows a generation like HammerDB's virtual users. It prints their start only with
// the first line, so a refused generation prints nothing.
type datagenScreen struct {
	mu     sync.Mutex // lines come from several goroutines
	screen screen
	users  int
	begun  bool
}

func (s *datagenScreen) tell(e job.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Progress != nil {
		s.screen.progress(e.At, *e.Progress)
		return
	}
	if !s.begun {
		s.begun = true
		s.screen.console.out.print(created(s.users, firstCreated))
		s.all(lines.Running)
	}
	for _, line := range s.screen.speaker.Say(e) {
		s.screen.say(e.At, line.User, line.Text)
	}
}

// end prints how the virtual users ended.
func (s *datagenScreen) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		return
	}
	said := lines.Succeeded
	if err != nil {
		said = lines.Failed
	}
	s.all(said)
	s.screen.console.out.print(lines.AllComplete)
}

// all prints a line for each virtual user.
func (s *datagenScreen) all(line string) {
	for user := 1; user <= s.users; user++ {
		s.screen.say(time.Now(), user, line)
	}
}
