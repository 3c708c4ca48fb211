package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/job"
	"sledge/internal/repository"
)

// Notes are the notes on the time of a run.
type Notes struct {
	ID    job.ID            `json:"id"`
	Notes []repository.Note `json:"notes" doc:"In order of time."`
}

// NewNote is a note to add.
type NewNote struct {
	From  float64  `json:"from_seconds" minimum:"0" doc:"Seconds since the first second of the run began: the axis of the points."`
	Until *float64 `json:"until_seconds,omitempty" minimum:"0" doc:"The end of a span; missing for a moment."`
	Text  string   `json:"text" minLength:"1" maxLength:"4000"`
}

// NoteChange holds the members of a note that change.
type NoteChange struct {
	From  *float64 `json:"from_seconds,omitempty" minimum:"0"`
	Until *float64 `json:"until_seconds,omitempty" minimum:"0"`
	Text  *string  `json:"text,omitempty" minLength:"1" maxLength:"4000"`
}

// OneNote are the path parameters that name a note.
type OneNote struct {
	OneJob
	Number int64 `path:"number" minimum:"1" doc:"The member number of the note."`
}

// notes are users' notes on the time of runs.
type notes struct{ *base }

func (n notes) add(t *table) {
	list := get("list-notes", "/jobs/{id}/notes", "List the notes on the time of a run", tagJobs)
	list.Description = "The note of the whole job is a member of the job."
	add(t, list, func(ctx context.Context, in *OneJob) (*of[Notes], error) {
		j, err := n.find(ctx, *in)
		if err != nil {
			return nil, err
		}
		d := Notes{ID: j.ID, Notes: []repository.Note{}}
		found, err := n.Store.Notes(ctx, j.ID)
		for _, note := range found {
			if strings.HasPrefix(n.userOf(ctx), "(") { // a visitor with a shared link does not learn the names of users
				note.Author = ""
			}
			d.Notes = append(d.Notes, note)
		}
		return answer(d, err)
	})
	post := huma.Operation{
		OperationID: "add-note", Method: http.MethodPost, Path: "/jobs/{id}/notes", Tags: []string{tagJobs}, DefaultStatus: http.StatusCreated,
		Summary: "Add a note at a moment of a run, or over a span of it", Description: "The run may be in progress. It has at most 200 notes.",
	}
	add(t, post, func(ctx context.Context, in *struct {
		OneJob
		Body NewNote
	},
	) (*of[repository.Note], error) {
		note := repository.Note{From: in.Body.From, Until: in.Body.From, Text: in.Body.Text, Author: n.userOf(ctx)}
		if in.Body.Until != nil {
			note.Until = *in.Body.Until
		}
		return answer(n.Store.AddNote(ctx, job.ID(in.ID), note))
	})
	patch := huma.Operation{
		OperationID: "change-note", Method: http.MethodPatch, Path: "/jobs/{id}/notes/{number}", Tags: []string{tagJobs},
		Summary: "Change a note on the time of a run", Description: "Missing members stay as they are. The author becomes the user who changes it.",
	}
	add(t, patch, func(ctx context.Context, in *struct {
		OneNote
		Body NoteChange
	},
	) (*of[repository.Note], error) {
		return answer(n.Store.ChangeNote(ctx, job.ID(in.ID), in.Number, func(note *repository.Note) {
			note.Author = n.userOf(ctx)
			if in.Body.From != nil {
				note.From = *in.Body.From
			}
			if in.Body.Until != nil {
				note.Until = *in.Body.Until
			}
			if in.Body.Text != nil {
				note.Text = *in.Body.Text
			}
		}))
	})
	remove := huma.Operation{
		OperationID: "delete-note", Method: http.MethodDelete, Path: "/jobs/{id}/notes/{number}", Tags: []string{tagJobs}, DefaultStatus: http.StatusNoContent,
		Summary: "Delete a note on the time of a run",
	}
	add(t, remove, func(ctx context.Context, in *OneNote) (*struct{}, error) {
		return nil, n.Store.RemoveNote(ctx, job.ID(in.ID), in.Number)
	})
}
