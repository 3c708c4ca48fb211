package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/web/share"
)

const tagBoards = "Boards"

// OneBoard is the path parameter that names a board.
type OneBoard struct {
	ID int64 `path:"id" minimum:"1" doc:"Number of a board."`
}

// Boards lists the boards.
type Boards struct {
	Boards []BoardHead `json:"boards" doc:"Sorted by name."`
}

// BoardHead describes a board in a list.
type BoardHead struct {
	ID      int64     `json:"id"`
	Name    string    `json:"name" doc:"Chosen by a user: show it as text."`
	Parts   int       `json:"parts" doc:"Number of its tiles."`
	By      string    `json:"by,omitempty" doc:"The user who changed it last."`
	Changed time.Time `json:"changed"`
}

// Board is a board with the jobs that it shows now.
type Board struct {
	BoardHead
	Tiles []BoardTile `json:"tiles"`
}

// tileKinds are the kinds of tiles with the number of runs with the label that a tile of the kind needs.
var tileKinds = map[string]int{tileFigure: 10, "throughput": 1, "times": 1, "percentiles": 1, tileJobs: 10}

const (
	tileFigure = "figure"
	tileJobs   = "jobs"
)

// Tile is a part of a board.
type Tile struct {
	Kind  string `json:"kind" enum:"figure,throughput,times,percentiles,jobs" doc:"The headline figure with its change; the rates or the response times over time; a table of percentiles; or a list of the last runs with a label."`
	Job   job.ID `json:"job,omitempty" maxLength:"24" doc:"ID of the job that it shows."`
	Label string `json:"label,omitempty" maxLength:"300" doc:"Instead of a job: name=value, or name for any value. The tile shows the newest run with this label."`
}

// BoardTile is a tile with the jobs that it shows now.
type BoardTile struct {
	Tile
	Jobs []report.Document `json:"jobs" doc:"The job as a list shows it. For the figure of a label, also the run before it; for a list, the last ten runs. Empty if there is none."`
}

// boardToSave is a request that saves a board.
type boardToSave struct {
	Name  string `json:"name" minLength:"1" maxLength:"100" doc:"A name for people, in any language. Upper and lower case are the same."`
	Tiles []Tile `json:"tiles" maxItems:"24" doc:"In the order in which the page shows them."`
}

// boards are pages that users compose.
type boards struct{ *base }

func (b boards) add(t *table) {
	add(t, get("list-boards", "/boards", "List the boards", tagBoards), func(ctx context.Context, _ *struct{}) (*of[Boards], error) {
		list, err := b.Store.Boards(ctx)
		d := Boards{[]BoardHead{}}
		for _, one := range list {
			d.Boards = append(d.Boards, headOf(one))
		}
		return answer(d, err)
	})
	show := get("show-board", "/boards/{id}", "Show a board, with the jobs that its tiles show now", tagBoards)
	add(t, show, func(ctx context.Context, in *OneBoard) (*of[Board], error) {
		one, err := b.Store.Board(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		return answer(b.shown(ctx, one))
	})
	save := huma.Operation{
		OperationID: "save-board", Method: http.MethodPost, Path: "/boards", Tags: []string{tagBoards}, DefaultStatus: http.StatusCreated,
		Summary: "Save a board under a new name", Errors: []int{http.StatusNotFound, http.StatusConflict},
	}
	add(t, save, func(ctx context.Context, in *of[boardToSave]) (*of[Board], error) {
		return answer(b.put(ctx, 0, in.Body))
	})
	change := huma.Operation{
		OperationID: "change-board", Method: http.MethodPut, Path: "/boards/{id}", Tags: []string{tagBoards},
		Summary: "Replace the name and the tiles of a board", Errors: conflict,
	}
	add(t, change, func(ctx context.Context, in *struct {
		OneBoard
		Body boardToSave
	},
	) (*of[Board], error) {
		return answer(b.put(ctx, in.ID, in.Body))
	})
	remove := huma.Operation{
		OperationID: "delete-board", Method: http.MethodDelete, Path: "/boards/{id}", Tags: []string{tagBoards}, DefaultStatus: http.StatusNoContent,
		Summary: "Delete a board", Description: "The jobs that it shows stay.",
	}
	add(t, remove, func(ctx context.Context, in *OneBoard) (*struct{}, error) {
		one, err := b.Store.Board(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		b.Note(ctx, fmt.Sprintf("deleted board %q", one.Name))
		return nil, b.Store.RemoveBoard(ctx, in.ID)
	})
}

// put saves a board: under a new number if number is 0.
func (b boards) put(ctx context.Context, number int64, asked boardToSave) (Board, error) {
	one := repository.Board{Number: number, Name: asked.Name, Tiles: []repository.Tile{}, By: b.userOf(ctx)}
	for _, tile := range asked.Tiles {
		name, _, _ := strings.Cut(tile.Label, "=")
		switch {
		case (tile.Job == "") == (tile.Label == "") || tile.Label != "" && name == "":
			return Board{}, wrong("tiles", "tiles: a tile shows a job or a label; write a label as name=value, or as name for any value")
		case tile.Kind == tileJobs && tile.Label == "":
			return Board{}, wrong("tiles", "tiles: a list shows the runs with a label, not one job")
		case tile.Job != "":
			j, err := b.Store.Get(ctx, tile.Job)
			if err != nil {
				return Board{}, err
			}
			tile.Job = j.ID
		}
		one.Tiles = append(one.Tiles, repository.Tile(tile))
	}
	one, err := b.Store.PutBoard(ctx, one)
	if err != nil {
		return Board{}, err
	}
	b.Note(ctx, fmt.Sprintf("saved board %q", one.Name))
	return b.shown(ctx, one)
}

func headOf(one repository.Board) BoardHead {
	return BoardHead{ID: one.Number, Name: one.Name, Parts: len(one.Tiles), By: one.By, Changed: one.Changed}
}

// shown returns a board with the jobs that it shows now.
func (b boards) shown(ctx context.Context, one repository.Board) (Board, error) {
	d := Board{headOf(one), []BoardTile{}}
	for _, tile := range one.Tiles {
		jobs, err := b.jobsOf(ctx, tile)
		if err != nil {
			return d, err
		}
		shown := BoardTile{Tile(tile), []report.Document{}}
		for _, j := range jobs {
			shown.Jobs = append(shown.Jobs, document.NewHead(j, b.headline))
		}
		d.Tiles = append(d.Tiles, shown)
	}
	return d, nil
}

// jobsOf returns the jobs that a tile shows now, the newest first.
func (b *base) jobsOf(ctx context.Context, tile repository.Tile) ([]job.Job, error) {
	if tile.Job != "" {
		j, err := b.Store.Get(ctx, tile.Job)
		if errors.Is(err, repository.ErrNotFound) {
			return nil, nil
		}
		return []job.Job{j}, err
	}
	name, value, _ := strings.Cut(tile.Label, "=")
	jobs, err := b.Store.List(ctx, repository.Query{Action: job.Run, Labels: map[string]string{name: value}, Limit: cmp.Or(tileKinds[tile.Kind], 1)})
	if err != nil || tile.Kind != tileFigure || len(jobs) == 0 {
		return jobs, err
	}
	for _, j := range jobs[1:] {
		if j.Status == job.Succeeded {
			return []job.Job{jobs[0], j}, nil
		}
	}
	return jobs[:1], nil
}

// jobsOfBoard returns the IDs of the jobs that a shared board shows now.
func (b *base) jobsOfBoard(ctx context.Context, subject share.Subject) (ids []string) {
	number, err := strconv.ParseInt(subject.IDs[0], 10, 64)
	if err != nil {
		return nil
	}
	one, err := b.Store.Board(ctx, number)
	if err != nil {
		return nil
	}
	for _, tile := range one.Tiles {
		jobs, err := b.jobsOf(ctx, tile)
		if err != nil {
			return nil
		}
		for _, j := range jobs {
			ids = append(ids, string(j.ID))
		}
	}
	return ids
}
