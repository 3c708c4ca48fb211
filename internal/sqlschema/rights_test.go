package sqlschema_test

import (
	"context"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// An administrator can execute the statement that a user without the right is shown.
func TestDetails_SayHowToSeeAllSessions(t *testing.T) {
	for name, account := range map[string]struct{ created, called string }{
		"postgresql": {`ROLE "sledge-blind" LOGIN PASSWORD 'Sledge_1'`, `"sledge-blind"`},
		"mysql":      {"USER 'sledge-blind'@'%' IDENTIFIED WITH mysql_native_password BY 'Sledge_1'", "'sledge-blind'@'%'"},
		"mariadb":    {"USER 'sledge-blind'@'%' IDENTIFIED BY 'Sledge_1'", "'sledge-blind'@'%'"},
	} {
		t.Run(name, func(t *testing.T) {
			server := testserver.Open(t, name)
			p := planOf(t, name, server)
			admin := opened(t, p)
			kind, _, _ := strings.Cut(account.created, " ")
			if err := admin.Exec(t.Context(), "CREATE "+account.created); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = admin.Exec(context.Background(), "DROP "+kind+" "+account.called) })
			values := server.Values()
			values["user"], values["password"] = "sledge-blind", "Sledge_1"
			if values["superuser"] != "" {
				values["superuser"], values["superuser_password"] = "sledge-blind", "Sledge_1"
			}
			p, err := engine.Local{Catalog: edition.Catalog}.Plan(job.Spec{Database: name, Workload: "tprocc", Options: values})
			if err != nil {
				t.Fatal(err)
			}
			lacking := func() string {
				t.Helper()
				why, err := p.Server.Details.Lacking(t.Context(), opened(t, p))
				if err != nil {
					t.Fatal(err)
				}
				return why
			}
			_, grant, found := strings.Cut(lacking(), "execute ")
			if !found {
				t.Fatal("it does not say what to execute")
			}
			if err := admin.Exec(t.Context(), grant); err != nil {
				t.Fatalf("%s: %v", grant, err)
			}
			if why := lacking(); why != "" {
				t.Errorf("after %s: %s", grant, why)
			}
		})
	}
}
