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

// OneConnection names a connection that is kept.
type OneConnection struct {
	Name string `path:"name" maxLength:"64" doc:"Name of a kept connection."`
}

// Kept is a connection that is to be kept.
type Kept struct {
	Database     string           `json:"database" doc:"Any name of a database."`
	Values       map[string]Value `json:"values" maxProperties:"100" doc:"The options that say where the server is and who connects, by any of their names."`
	KeepPassword bool             `json:"keep_password,omitempty" doc:"Keep the passwords among the values, as plain text in a file that only the user can read who runs Sledge. A kept password stays if the request gives none. Without this, a password is refused, and a kept one is removed."`
}

// keptConnections returns those that are kept, or says that there is no place for them.
func (a *API) keptConnections() (*settings.Connections, error) {
	if a.Connections == nil {
		return nil, problem(http.StatusConflict, "connections are kept beside the job repository, and this repository is no file: start the server with --repo")
	}
	return a.Connections, nil
}

func (a *API) addConnections() {
	add(a, get("list-connections", "/connections", "List the connections that are kept by name", tagConnections),
		func(context.Context, *struct{}) (*of[document.Connections], error) {
			var list []settings.Connection
			if a.Connections != nil {
				var err error
				if list, err = a.Connections.List(); err != nil {
					return nil, err
				}
			}
			return answer(document.NewConnections(a.Resolver, list), nil)
		})
	add(a, get("show-connection", "/connections/{name}", "Show a connection, without its passwords", tagConnections),
		func(_ context.Context, in *OneConnection) (*of[document.Connection], error) {
			kept, err := a.keptConnections()
			if err != nil {
				return nil, err
			}
			one, err := kept.Get(in.Name)
			return answer(document.NewConnection(a.Resolver, one), err)
		})
	put := huma.Operation{
		OperationID: "keep-connection", Method: http.MethodPut, Path: "/connections/{name}", Tags: []string{tagConnections},
		Summary: "Keep a connection, replacing one of the same name",
	}
	add(a, put, func(_ context.Context, in *struct {
		OneConnection
		Body Kept
	},
	) (*of[document.Connection], error) {
		kept, err := a.keptConnections()
		if err != nil {
			return nil, err
		}
		one := settings.Connection{Name: in.Name, Database: in.Body.Database, Values: option.Values{}}
		for name, value := range in.Body.Values {
			one.Values[name] = string(value)
		}
		if one, err = kept.Put(one, in.Body.KeepPassword, !a.unrestricted()); err != nil {
			return nil, err
		}
		return answer(document.NewConnection(a.Resolver, one), nil)
	})
	remove := huma.Operation{
		OperationID: "forget-connection", Method: http.MethodDelete, Path: "/connections/{name}", Tags: []string{tagConnections},
		Summary: "Forget a connection", DefaultStatus: http.StatusNoContent,
	}
	add(a, remove, func(_ context.Context, in *OneConnection) (*struct{}, error) {
		kept, err := a.keptConnections()
		if err != nil {
			return nil, err
		}
		return nil, kept.Remove(in.Name)
	})
	test := huma.Operation{
		OperationID: "test-connection", Method: http.MethodPost, Path: "/connections/{name}/test", Tags: []string{tagConnections},
		Summary: "Test a kept connection", Description: "It changes nothing.",
	}
	add(a, test, func(ctx context.Context, in *OneConnection) (*of[document.Trial], error) {
		kept, err := a.keptConnections()
		if err != nil {
			return nil, err
		}
		if _, err := kept.Get(in.Name); err != nil {
			return nil, err
		}
		return a.try(ctx, map[string]Value{"connection": Value(in.Name)})
	})
	trySettings := huma.Operation{
		OperationID: "test-settings", Method: http.MethodPost, Path: "/settings/test", Tags: []string{tagConnections},
		Summary: "Test the connection that a job would have", Description: "It logs in as a run and as a build would, and changes nothing. If the server does not answer or refuses, that is an answer, not a problem.",
	}
	add(a, trySettings, func(ctx context.Context, in *of[Tried]) (*of[document.Trial], error) {
		return a.try(ctx, in.Body.Settings)
	})
}

// Tried are settings whose connection is to be used.
type Tried struct {
	Settings map[string]Value `json:"settings" maxProperties:"500" doc:"The settings of a job."`
}

// signedIn decides all settings of a job, with the fallbacks of passwords that a server
// refuses.
func (a *API) signedIn(ctx context.Context, in Wanted) (settings.Order, error) {
	order, err := a.resolve(in)
	if err != nil {
		return order, err
	}
	with := settings.SignIn{Resolver: a.Resolver, Sources: a.sources(in), Refusal: settings.RefusalOf}
	profile := order.Profile
	order, err = with.With(ctx, order)
	order.Profile = profile
	return order, err
}

// try tries out the connection of settings.
func (a *API) try(ctx context.Context, settings map[string]Value) (*of[document.Trial], error) {
	order, err := a.signedIn(ctx, Wanted{Action: job.Check, Settings: settings})
	if err != nil {
		return nil, err
	}
	trial, err := order.Try(ctx, a.Version)
	if err != nil {
		return nil, err
	}
	return answer(document.NewTrial(order, trial), nil)
}
