package dictionaries_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/hammerdb/dictionaries"
)

func TestHammerDBsConfigurationIsImported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.db")
	b := open(t, path)
	done, err := b.ImportConfig(filepath.Join("testdata", "config"))
	if err != nil {
		t.Fatal(err)
	}
	changes := []string{
		"Changed benchmark:rdbms from PostgreSQL to Oracle for generic",
		"Changed virtual_user_options:virtual_users from 1 to 8 for generic",
		"Changed transaction_counter:tc_refresh_rate from 10 to 5 for generic",
		"Changed mode:hostname from localhost to load1 for generic",
		"Changed connection:maria_socket from /tmp/mariadb.sock to null for MariaDB",
		"Changed tpcc:maria_pass from **** to **** for MariaDB",
		"Changed tpcc:maria_rampup from 2 to 1 for MariaDB",
		"Changed tpch:maria_scale_fact from 1 to 10 for MariaDB",
		"Changed tpcc:rampup from 2 to 1 for Oracle",
	}
	passed := []string{
		"ci.xml: it holds no settings of a database or of the console",
		"generic.xml: theme:sparkle: it is not known",
	}
	wantImport(t, done, changes, passed, 3)
	later := open(t, path)
	choose(t, later, "maria")
	if got := later.Values(); got["password"] != "hidden" || got["rampup"] != "1" {
		t.Errorf("got %v after a restart, want the imported values", got)
	}
}

// wantImport compares the changed, skipped and unchanged settings of an import.
func wantImport(t *testing.T, done dictionaries.Import, changes, passed []string, same int) {
	t.Helper()
	var changed []string
	for _, c := range done.Changes {
		changed = append(changed, c.String())
	}
	if !slices.Equal(changed, changes) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(changed, "\n"), strings.Join(changes, "\n"))
	}
	if !slices.Equal(done.Passed, passed) {
		t.Errorf("skipped: got\n%s\nwant\n%s", strings.Join(done.Passed, "\n"), strings.Join(passed, "\n"))
	}
	if done.Same != same {
		t.Errorf("got %d unchanged settings, want %d", done.Same, same)
	}
}

func TestImport_ChangesNothingIfAValueIsInvalid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "postgresql.xml")
	text := `<postgresql><tpcc><schema><pg_num_vu>2</pg_num_vu><pg_count_ware>0</pg_count_ware></schema>
		<driver><pg_driver>fast</pg_driver></driver></tpcc></postgresql>`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, "")
	_, err := b.ImportConfig(path)
	for _, want := range []string{
		"nothing was set",
		"postgresql.xml: tpcc:pg_count_ware: 0 is less than 1",
		`postgresql.xml: tpcc:pg_driver: "fast" is not one of test, timed`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if got := b.Value("num_vu"); got != "1" {
		t.Errorf("got %s builders, want the default", got)
	}
}

func TestImport_RefusesForeignFiles(t *testing.T) {
	folder := t.TempDir()
	for _, tt := range []struct{ name, text, want string }{
		{"torn.xml", "<generic><theme>", "torn.xml"},
		{"other.xml", "<page><title>hello</title></page>", "it holds no settings"},
		{"ci.xml", "<ci><common><repo>x</repo></common></ci>", "it holds no settings"},
		{"empty.xml", "", "it holds no settings"},
	} {
		path := filepath.Join(folder, tt.name)
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, "").ImportConfig(path); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error with %q", tt.name, err, tt.want)
		}
	}
	endless := filepath.Join(folder, "endless.xml")
	if err := os.WriteFile(endless, []byte("<a>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(endless, 1<<30); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		t.TempDir(): "none of HammerDB's settings files", filepath.Join(folder, "none.xml"): "no such file",
		os.DevNull: "this is not a settings file of HammerDB", endless: "this is not a settings file of HammerDB",
	} {
		if _, err := open(t, "").ImportConfig(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", path, err, want)
		}
	}
}

func TestXMLErrors_ShowNoContents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "postgresql.xml")
	for pass, want := range map[string]string{
		"Xml&Secret</pg_pass>":               "it holds a & that begins no entity: write &amp;",
		"Xml&Secret;</pg_pass>":              "it holds a & that begins no entity",
		"Xml<Secret></pg_pass>":              "an element is closed by the end of another one",
		"Xml</Secret></pg_pass>":             "an element is closed by the end of another one",
		"Xml<Secret!</pg_pass>":              "this is not well-formed XML: write &lt;",
		"Xml<Secret=1></pg_pass>":            "this is not well-formed XML",
		"Xml\x01Secret</pg_pass>":            "it holds a control character",
		"Xml\xe9Secret</pg_pass>":            "it holds a character that is not UTF-8: save the file as UTF-8",
		"XmlSecret":                          "it ends before all its elements do",
		"XmlSecret</pg_pass></a></Secret>":   "an element ends that has not begun",
		"<?xml version='Secret'?></pg_pass>": "this is not XML 1.0",
	} {
		if err := os.WriteFile(path, []byte("<a>\n<pg_pass>"+pass), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := open(t, "").ImportConfig(path)
		if err == nil || !strings.Contains(err.Error(), path+": line 2: "+want) {
			t.Errorf("%q: got %v, want line 2 and %q", pass, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "Secret") {
			t.Errorf("%q: the error shows a part: %v", pass, err)
		}
	}
}

func TestXML_IsReadInItsEncoding(t *testing.T) {
	const text = `<postgresql><connection><pg_host>%</pg_host></connection></postgresql>`
	for _, tt := range []struct{ head, host, want string }{
		{`<?xml version="1.0" encoding="ISO-8859-1"?>`, "caf\xe9", "café"},
		{`<?xml version="1.0" encoding="windows-1252"?>`, "\x80", "€"},
		{`<?xml version="1.0" encoding="ISO-8859-15"?>`, "\xa4", "€"},
		{`<?xml version="1.0" encoding="US-ASCII"?>`, "db1", "db1"},
		{"\ufeff" + `<?xml version="1.0" encoding="UTF-8"?>`, "café", "café"},
	} {
		path := filepath.Join(t.TempDir(), "postgresql.xml")
		if err := os.WriteFile(path, []byte(tt.head+strings.Replace(text, "%", tt.host, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		b := open(t, "")
		choose(t, b, "pg")
		if _, err := b.ImportConfig(path); err != nil || b.Value("host") != tt.want {
			t.Errorf("%s: got %q and %v, want %q", tt.head, b.Value("host"), err, tt.want)
		}
	}
	path := filepath.Join(t.TempDir(), "postgresql.xml")
	if err := os.WriteFile(path, []byte(`<?xml version="1.0" encoding="EBCDIC-X"?>`+text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := open(t, "").ImportConfig(path)
	const want = `line 1: the encoding "EBCDIC-X" is not known: save the file as UTF-8`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// FuzzImport searches for files that cause a panic, or an error after settings were changed.
func FuzzImport(f *testing.F) {
	f.Add("<a><connection><pg_host>x</pg_host></connection></a>")
	f.Add("<pg_host>x</pg_host>")
	f.Add("<a></b>")
	f.Add("<theme><theme><scaletheme>light</scaletheme></theme></theme>")
	path := filepath.Join(f.TempDir(), "fuzz")
	kept(f, path, section("tpcc", "pg_count_ware", "10"))
	file, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(file))
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b := open(t, "")
		done, err := b.ImportConfig(path)
		if err != nil && (len(done.Changes) > 0 || !slices.EqualFunc(b.Sections(), open(t, "").Sections(), sameSection)) {
			t.Errorf("%s: got %v, and settings were changed", text, err)
		}
	})
}

func sameSection(x, y dictionaries.Section) bool {
	return x.Name == y.Name && slices.EqualFunc(x.Entries, y.Entries, func(a, b dictionaries.Entry) bool { return a.Value == b.Value })
}
