package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/hammerdb/setup"
)

// Forms contains the settings of a job in every form.
type Forms struct {
	Forms []Form `json:"forms"`
}

// Form contains the settings of a job in one form.
type Form struct {
	Name  string `json:"name" enum:"command,toml,tcl,python"`
	Title string `json:"title"`
	Text  string `json:"text" doc:"The settings in this form, with environment variables for passwords."`
}

// Text is a script or a configuration file to read settings from.
type Text struct {
	Text string `json:"text" maxLength:"200000" doc:"A console script in Tcl or Python, or a configuration file in TOML or YAML."`
}

// TakenIn contains the settings of a text.
type TakenIn struct {
	Settings map[string]string `json:"settings" doc:"Settings of a job: options by their own names, without passwords."`
	Secrets  []string          `json:"secrets" doc:"Options that contained a password, which must be typed again."`
	Passed   []string          `json:"passed" doc:"Lines that were ignored, and why."`
}

// setups are the settings of jobs that are not started yet.
type setups struct{ *base }

func (s setups) add(t *table) {
	s.addCheck(t)
	s.addDeletion(t)
	forms := huma.Operation{
		OperationID: "show-settings-as", Method: http.MethodPost, Path: "/settings/forms", Tags: []string{tagVerbs},
		Summary: "Show the settings of a job as a command line, a configuration file, and scripts in Tcl and Python",
	}
	forms.Errors = notFound
	add(t, forms, func(_ context.Context, in *of[Wanted]) (*of[Forms], error) {
		order, err := s.resolve(in.Body)
		if err != nil {
			return nil, err
		}
		var d Forms
		for _, form := range setup.Forms {
			d.Forms = append(d.Forms, Form{form.Name, form.Title, form.Write(s.Resolver, order)})
		}
		return answer(d, nil)
	})
	take := huma.Operation{
		OperationID: "read-settings", Method: http.MethodPost, Path: "/settings/read", Tags: []string{tagVerbs},
		Summary: "Read settings from a script or a configuration file", Description: "It runs nothing. In a script it reads plain commands, and lists the lines that it does not understand.",
	}
	add(t, take, func(_ context.Context, in *of[Text]) (*of[TakenIn], error) {
		found, err := setup.TakeIn(s.Resolver, in.Body.Text)
		if err != nil {
			return nil, err
		}
		return answer(TakenIn{found.Settings, append([]string{}, found.Secrets...), append([]string{}, found.Passed...)}, nil)
	})
}
