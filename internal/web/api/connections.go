package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

const tagConnections = "Connections"

// OneConnection names a saved connection.
type OneConnection struct {
	Name string `path:"name" maxLength:"64" doc:"Name of a saved connection."`
}

// Kept is a connection to save.
type Kept struct {
	Database     string           `json:"database" doc:"Any name of a database."`
	Values       map[string]Value `json:"values" maxProperties:"100" doc:"The options of the server's address and the account, by any of their names."`
	KeepPassword bool             `json:"keep_password,omitempty" doc:"Save the passwords among the values, in plain text in a file that only the account of the server can read. If the request contains no password, a saved one stays. Without this member, a password is refused, and a saved one is removed."`
}

// connections are the saved connections, and tests of connections.
type connections struct{ *base }

// keptConnections returns the saved connections, or an error if the repository is in memory.
func (c connections) keptConnections() (*settings.Connections, error) {
	if c.Connections == nil {
		return nil, problem(http.StatusConflict, "connections are saved beside the job repository, but this repository is not a file: start the server with --repo")
	}
	return c.Connections, nil
}

func (c connections) add(t *table) {
	add(t, get("list-connections", "/connections", "List the saved connections", tagConnections),
		func(context.Context, *struct{}) (*of[document.Connections], error) {
			var list []settings.Connection
			if c.Connections != nil {
				var err error
				if list, err = c.Connections.List(); err != nil {
					return nil, err
				}
			}
			return answer(document.NewConnections(c.Resolver, list), nil)
		})
	show := get("show-connection", "/connections/{name}", "Show a connection, without its passwords", tagConnections)
	show.Errors = conflict
	add(t, show,
		func(_ context.Context, in *OneConnection) (*of[document.Connection], error) {
			kept, err := c.keptConnections()
			if err != nil {
				return nil, err
			}
			one, err := kept.Get(in.Name)
			return answer(document.NewConnection(c.Resolver, one), err)
		})
	put := huma.Operation{
		OperationID: "keep-connection", Method: http.MethodPut, Path: "/connections/{name}", Tags: []string{tagConnections},
		Summary: "Save a connection, replacing one of the same name",
	}
	put.Errors = conflict
	add(t, put, func(_ context.Context, in *struct {
		OneConnection
		Body Kept
	},
	) (*of[document.Connection], error) {
		kept, err := c.keptConnections()
		if err != nil {
			return nil, err
		}
		one := settings.Connection{Name: in.Name, Database: in.Body.Database, Values: option.Values{}}
		for name, value := range in.Body.Values {
			one.Values[name] = string(value)
		}
		if one, err = kept.Put(one, in.Body.KeepPassword, !c.unrestricted()); err != nil {
			return nil, err
		}
		return answer(document.NewConnection(c.Resolver, one), nil)
	})
	remove := huma.Operation{
		OperationID: "forget-connection", Method: http.MethodDelete, Path: "/connections/{name}", Tags: []string{tagConnections},
		Summary: "Remove a connection", DefaultStatus: http.StatusNoContent,
	}
	remove.Errors = conflict
	add(t, remove, func(_ context.Context, in *OneConnection) (*struct{}, error) {
		kept, err := c.keptConnections()
		if err != nil {
			return nil, err
		}
		return nil, kept.Remove(in.Name)
	})
	test := huma.Operation{
		OperationID: "test-connection", Method: http.MethodPost, Path: "/connections/{name}/test", Tags: []string{tagConnections},
		Summary: "Test a saved connection", Description: "It changes nothing.",
	}
	test.Errors = conflict
	add(t, test, func(ctx context.Context, in *OneConnection) (*of[document.Trial], error) {
		kept, err := c.keptConnections()
		if err != nil {
			return nil, err
		}
		if _, err := kept.Get(in.Name); err != nil {
			return nil, err
		}
		return c.try(ctx, map[string]Value{"connection": Value(in.Name)})
	})
	trySettings := huma.Operation{
		OperationID: "test-settings", Method: http.MethodPost, Path: "/settings/test", Tags: []string{tagConnections},
		Summary: "Test the connection that a job would have", Description: "It logs in as a run and as a build would, and changes nothing. If the server does not answer or refuses the login, the response has status 200 and reports it.",
	}
	trySettings.Errors = ofConnection
	add(t, trySettings, func(ctx context.Context, in *of[Tried]) (*of[document.Trial], error) {
		return c.try(ctx, in.Body.Settings)
	})
}

// Tried holds settings whose connection is tested or used.
type Tried struct {
	Settings map[string]Value `json:"settings" maxProperties:"500" doc:"The settings of a job."`
}

// signedIn resolves the settings of a job. If the server refuses a password, it tries the fallback
// passwords.
func (b *base) signedIn(ctx context.Context, in Wanted) (settings.Order, error) {
	order, err := b.resolve(in)
	if err != nil {
		return order, err
	}
	with := settings.SignIn{Resolver: b.Resolver, Sources: b.sources(in), Refusal: settings.RefusalOf}
	profile := order.Profile
	order, err = with.With(ctx, order)
	order.Profile = profile
	return order, err
}

// try tests the connection that the settings name.
func (c connections) try(ctx context.Context, settings map[string]Value) (*of[document.Trial], error) {
	order, err := c.signedIn(ctx, Wanted{Action: job.Check, Settings: settings})
	if err != nil {
		return nil, err
	}
	trial, err := order.Try(ctx, c.Version)
	if err != nil {
		return nil, err
	}
	return answer(document.NewTrial(order, trial), nil)
}
