package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/hammerdb/setup"
)

// Forms is a set-up in each form that it can be spelled in.
type Forms struct {
	Forms []Form `json:"forms"`
}

// Form is a set-up in one form.
type Form struct {
	Name  string `json:"name" enum:"command,toml,tcl,python"`
	Title string `json:"title"`
	Text  string `json:"text" doc:"It gives the same settings. Environment variables take the place of passwords."`
}

// Text is a set-up that somebody wrote.
type Text struct {
	Text string `json:"text" maxLength:"200000" doc:"A console script in Tcl or Python, or a configuration file in TOML or YAML."`
}

// TakenIn is what was read from a text.
type TakenIn struct {
	Settings map[string]string `json:"settings" doc:"Settings, as a job takes them: options by their own names, without passwords."`
	Secrets  []string          `json:"secrets" doc:"Options that had a password, which has to be typed again."`
	Passed   []string          `json:"passed" doc:"Lines that were not used, and why."`
}

func (a *API) addSetups() {
	forms := huma.Operation{
		OperationID: "show-settings-as", Method: http.MethodPost, Path: "/settings/forms", Tags: []string{tagVerbs},
		Summary: "Show the settings of a job as command line, configuration file, and script in Tcl and Python",
	}
	add(a, forms, func(_ context.Context, in *of[Wanted]) (*of[Forms], error) {
		order, err := a.resolve(in.Body)
		if err != nil {
			return nil, err
		}
		var d Forms
		for _, form := range setup.Forms {
			d.Forms = append(d.Forms, Form{form.Name, form.Title, form.Write(a.Resolver, order)})
		}
		return answer(d, nil)
	})
	take := huma.Operation{
		OperationID: "read-settings", Method: http.MethodPost, Path: "/settings/read", Tags: []string{tagVerbs},
		Summary: "Read the settings of a script or of a configuration file", Description: "It runs nothing. In a script it reads plain commands, and lists the lines that it does not understand.",
	}
	add(a, take, func(_ context.Context, in *of[Text]) (*of[TakenIn], error) {
		found, err := setup.TakeIn(a.Resolver, in.Body.Text)
		if err != nil {
			return nil, err
		}
		return answer(TakenIn{found.Settings, append([]string{}, found.Secrets...), append([]string{}, found.Passed...)}, nil)
	})
}
