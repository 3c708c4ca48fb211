package api

import (
	"context"
	"net/http"
	"sync"

	"sledge"
	"sledge/docs"
	"sledge/internal/help"
)

const tagManual = "The manual"

// Manual lists the pages of the manual.
type Manual struct {
	Pages []help.Head `json:"pages"`
}

// Found lists the results of a search.
type Found struct {
	Hits []help.Hit `json:"hits"`
}

// manual is read at the first request for it.
var manual = sync.OnceValues(func() (*help.Book, error) { return help.Open(docs.Pages, sledge.Papers) })

// Plain lists the paths whose text is the same on every machine: the manual and the description.
var Plain = []string{Prefix + "/manual", Prefix + "/openapi.json", Prefix + "/docs"}

// manualPages serves the manual.
type manualPages struct{}

func (m manualPages) add(t *table) {
	add(t, get("list-manual", "/manual", "List the pages of the manual", tagManual), func(context.Context, *struct{}) (*of[Manual], error) {
		book, err := manual()
		if err != nil {
			return nil, err
		}
		return answer(Manual{book.Pages()}, nil)
	})
	page := get("get-manual-page", "/manual/page", "Show a page of the manual", tagManual)
	page.Errors = notFound
	add(t, page, func(_ context.Context, in *struct {
		Name string `query:"name" required:"true" maxLength:"200" doc:"A name from the list."`
	},
	) (*of[help.Page], error) {
		book, err := manual()
		if err != nil {
			return nil, err
		}
		shown, found := book.Page(in.Name)
		if !found {
			return nil, problem(http.StatusNotFound, "the manual has no such page: %s/manual lists them", Prefix)
		}
		return answer(shown, nil)
	})
	add(t, get("search-manual", "/manual/search", "Search the manual", tagManual), func(_ context.Context, in *struct {
		Text string `query:"text" required:"true" maxLength:"200" doc:"Words; the response lists the sections that contain all of them."`
	},
	) (*of[Found], error) {
		book, err := manual()
		if err != nil {
			return nil, err
		}
		return answer(Found{book.Search(in.Text, 50)}, nil)
	})
}
