package api

import (
	"context"

	"sledge/internal/document"
	"sledge/internal/option"
)

const tagCatalog = "Databases and workloads"

// Databases lists the databases.
type Databases struct {
	Databases []document.Entry `json:"databases"`
}

// Workloads lists the workloads.
type Workloads struct {
	Workloads []document.Entry `json:"workloads"`
}

// catalog lists the databases, the workloads and their options.
type catalog struct{ *base }

func (c catalog) add(t *table) {
	add(t, get("list-databases", "/databases", "List the databases", tagCatalog),
		func(context.Context, *struct{}) (*of[Databases], error) {
			return answer(Databases{document.NewCatalog(c.Resolver.Catalog).Databases}, nil)
		})
	add(t, get("list-workloads", "/workloads", "List the workloads", tagCatalog),
		func(context.Context, *struct{}) (*of[Workloads], error) {
			return answer(Workloads{document.NewCatalog(c.Resolver.Catalog).Workloads}, nil)
		})
	options := get("list-options", "/options", "List the options of a database with a workload", tagCatalog)
	options.Description = "Each option has its group, unit, limits, choices and default: enough for a form. A job takes an option by any of its names."
	add(t, options, func(_ context.Context, in *struct {
		Database string `query:"database" required:"true" doc:"Any name of a database."`
		Workload string `query:"workload" doc:"Any name of a workload; the default workload if missing."`
	},
	) (*of[document.Options], error) {
		if in.Workload == "" {
			in.Workload = c.Resolver.DefaultWorkload().Name
		}
		pair, err := c.Resolver.Pair(in.Database, in.Workload)
		if err != nil {
			return nil, wrong("", "%v", err)
		}
		return answer(document.NewOptions(pair, option.Built(pair.Options())), nil)
	})
}
