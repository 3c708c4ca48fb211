package pools_test

import (
	"os"
	"path/filepath"
	"testing"

	"sledge/internal/hammerdb/pools"
)

func TestFilesAreReadAsHammerDBHasThem(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"pgcpool.xml", `{"connections":[` +
			`{"name":"c1","options":{"pg_dbase":"tpcc","pg_host":"host1","pg_pass":"tpcc","pg_port":"5432","pg_sslmode":"prefer","pg_user":"tpcc"}},` +
			`{"name":"c2","options":{"pg_dbase":"tpcc","pg_host":"host2","pg_pass":"tpcc","pg_port":"5432","pg_sslmode":"prefer","pg_user":"tpcc"}}],` +
			`"transactions":[{"kind":"neworder","connections":["c1","c2"],"policy":"round_robin"},` +
			`{"kind":"payment","connections":["c1"],"policy":"first"},{"kind":"delivery","connections":["c1"],"policy":"last"},` +
			`{"kind":"stocklevel","connections":["c2"],"policy":"random"},{"kind":"orderstatus","connections":["c2","c1"],"policy":"round_robin"}]}`},
		{"mariacpool.xml", `{"connections":[` +
			`{"name":"c1","options":{"maria_dbase":"tpcc","maria_host":"host1","maria_pass":"a\u0026b","maria_port":"3306","maria_socket":"/tmp/mariadb.sock","maria_ssl":"true","maria_ssl_ca":"/ca.pem","maria_user":"root"}}],` +
			`"transactions":[{"kind":"neworder","connections":["c1"],"policy":"round_robin"}]}`},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", tt.file))
		if err != nil {
			t.Fatal(err)
		}
		p, warnings, err := pools.Read(text)
		if err != nil || len(warnings) > 0 || p.String() != tt.want {
			t.Errorf("%s: got %s, warnings %q and %v, want %s", tt.file, p, warnings, err, tt.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`<connpool><connections><c1><pg_host>a</pg_host><maria_ssl_options>-ssl true</maria_ssl_options></c1></connections><sprocs><payment><connections>c1</connections><policy>random</policy></payment></sprocs></connpool>`))
	f.Add([]byte(`<!DOCTYPE a [<!ENTITY b "bb">]><connpool>&b;</connpool>`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		if p, _, err := pools.Read(text); err == nil {
			_, _ = p.Table([]string{"new order"})
		}
	})
}
