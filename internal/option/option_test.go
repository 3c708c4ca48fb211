package option_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sledge/internal/option"
)

type server struct {
	Host string `opt:"host" flag:"host" help:"server host"`
	Mode string `opt:"mode" choices:"fast|slow" help:"how"`
}

type account struct {
	Password string `opt:"pass" secret:"true" help:"password"`
}

type options struct {
	server
	Account account        `opt:"tpch_*"`
	Count   int            `opt:"count_ware" min:"1" max:"10" help:"warehouses"`
	Share   float64        `opt:"share" min:"0" max:"1" help:"share"`
	Odd     bool           `opt:"driver" help:"no count"`
	RampUp  option.Minutes `opt:"rampup" help:"minutes"`
	Delay   time.Duration  `opt:"delay" help:"delay"`
}

// names has a front end's names of some options.
var names = option.Names{"count_ware": "pg_count_ware", "mode": "pg_mode"}

func fresh() *options {
	return &options{
		server: server{Host: "localhost", Mode: "fast"}, Count: 1,
		RampUp: option.Minutes(2 * time.Minute), Delay: 500 * time.Millisecond,
	}
}

func (o *options) Validate(names option.Names) error {
	if o.Mode == "slow" && o.Count > 5 {
		return errors.New(names.Of("count_ware") + " is too many")
	}
	return nil
}

func TestBind_SetsGivenOptions(t *testing.T) {
	got, want := fresh(), fresh()
	want.Host, want.Account.Password, want.Count, want.Share = "db", "x", 10, 0.5
	want.Odd, want.RampUp, want.Delay = true, option.Minutes(90*time.Second), time.Second
	err := option.Bind(names, option.Values{
		"host": "db", "tpch_pass": "x", "count_ware": "10", "share": "0.5",
		"driver": "on", "rampup": "1.5", "delay": "1s",
	}, got)
	if err != nil {
		t.Fatal(err)
	}
	if *got != *want {
		t.Errorf("got %+v, want %+v", *got, *want)
	}
}

func TestBind_RefusesWithARemedy(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"count_ware", "0", "option pg_count_ware: 0 is less than 1"},
		{"count_ware", "11", "option pg_count_ware: 11 is more than 10"},
		{"count_ware", "many", `option pg_count_ware: "many" is not a whole number`},
		{"share", "NaN", `option share: "NaN" is not a number`},
		{"mode", "fats", `option pg_mode: "fats" is not one of fast, slow: did you mean fast?`},
		{"driver", "maybe", `option driver: "maybe" is not true or false`},
		{"rampup", "soon", `option rampup: "soon" is neither a number of minutes nor a duration such as 90s or 1h30m`},
		{"delay", "-1s", `option delay: "-1s" is not a duration such as 500ms, 90s or 5m`},
	} {
		err := option.Bind(names, option.Values{tt.name: tt.value}, fresh())
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s=%s: got %v, want %s", tt.name, tt.value, err, tt.want)
		}
	}
	err := option.Bind(names, option.Values{"mode": "slow", "count_ware": "6"}, fresh())
	if err == nil || err.Error() != "pg_count_ware is too many" {
		t.Errorf("a rule across options: got %v", err)
	}
}

func TestBind_ErrorNamesItsOption(t *testing.T) {
	err := option.Bind(names, option.Values{"count_ware": "0"}, fresh())
	wrong, ok := errors.AsType[*option.Error](err)
	if !ok || wrong.Option != "count_ware" || wrong.Called != "pg_count_ware" || wrong.Value != "0" || wrong.Err.Error() != "0 is less than 1" {
		t.Errorf("got %#v", err)
	}
	err = option.CheckNames(option.Values{"hots": "db"}, option.Describe(fresh()))
	if unknown, ok := errors.AsType[*option.UnknownError](err); !ok || unknown.Name != "hots" || unknown.Nearest != "host" {
		t.Errorf("got %#v", err)
	}
}

func TestParts_HaveTheMainOptionsFirst(t *testing.T) {
	type built struct {
		Warehouses int  `opt:"warehouses" group:"schema" main:"true"`
		Keys       bool `opt:"keys" group:"schema"`
		Port       int  `opt:"port" group:"connection" unit:"number"`
	}
	type all struct {
		built
		Later struct {
			Pool bool `opt:"pool" group:"client"`
		} `opt:"async_*" soon:"true"`
	}
	described := option.Describe(&all{})
	var got []string
	for _, p := range option.Parts(described) {
		for _, d := range p.Options {
			got = append(got, d.Group+":"+d.Name+d.Unit)
		}
	}
	if text := strings.Join(got, " "); text != "schema:warehouses connection:portnumber schema:keys" {
		t.Errorf("got %s", text)
	}
	if last := described[len(described)-1]; last.Name != "async_pool" || !last.Soon || len(option.Built(described)) != 3 {
		t.Errorf("got %+v", described)
	}
}

func TestCheckNames_SuggestsTheNearest(t *testing.T) {
	known := option.Describe(fresh())
	for _, tt := range []struct{ name, want string }{
		{"count_wares", "option count_wares is not known: did you mean count_ware?"},
		{"zzz", "option zzz is not known"},
		{"host", ""},
	} {
		got := ""
		if err := option.CheckNames(option.Values{tt.name: "1"}, known); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestNearest_FindsTypos(t *testing.T) {
	words := []string{"ci", "job", "jobs", "pg", "rate", "vurun", "vuset"}
	for _, tt := range []struct{ typed, want string }{
		{"vurn", "vurun"},
		{"VURUN", "vurun"},
		{"jbos", "jobs"}, // swapped letters are nearer than two other letters
		{"p", "pg"},
		{"ojbs", "jobs"},
		{"ls", ""},   // no letter in common with ci
		{"path", ""}, // two letters differ, one of them the first
		{"x", ""},
		{"", ""},
	} {
		if got := option.Nearest(tt.typed, words); got != tt.want {
			t.Errorf("nearest to %q: got %q, want %q", tt.typed, got, tt.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	var lines []string
	for _, d := range option.Describe(fresh()) {
		lines = append(lines, d.Name+" "+d.Kind+" "+d.Default)
	}
	want := `host string localhost
mode string fast
tpch_pass string 
count_ware int 1
share float64 0
driver bool false
rampup minutes 2
delay duration 500ms`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
