package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/notice"
)

const tagNotices = "Notices"

// Owned lists the paths that need the role own to change anything: an owner decides where the server
// sends notices.
var Owned = []string{Prefix + "/notices"}

// Notices lists the receivers of notices, and the last deliveries.
type Notices struct {
	Receivers  []notice.Receiver `json:"receivers"`
	Deliveries []notice.Delivery `json:"deliveries" doc:"The last 200, newest first."`
}

// OneReceiver names a receiver of notices.
type OneReceiver struct {
	Name string `path:"name" maxLength:"64" doc:"Name of a receiver of notices."`
}

// notices are the receivers of notices.
type notices struct{ *base }

// sender returns the Notices, or an error if this server sends none.
func (ns notices) sender() (*notice.Notices, error) {
	if ns.Notices == nil {
		return nil, problem(http.StatusConflict, "this server sends no notices: start sledge web")
	}
	return ns.Notices, nil
}

func (ns notices) add(t *table) {
	list := get("list-notices", "/notices", "List the receivers of notices, and the last deliveries", tagNotices)
	list.Description = "A receiver gets a notice when a job that this server started has ended. Responses contain no secrets."
	add(t, list, func(context.Context, *struct{}) (*of[Notices], error) {
		d := Notices{[]notice.Receiver{}, []notice.Delivery{}}
		if ns.Notices == nil {
			return answer(d, nil)
		}
		var err error
		if d.Receivers, err = ns.Notices.Receivers(); err != nil {
			return nil, err
		}
		d.Deliveries, err = ns.Notices.Deliveries()
		return answer(d, err)
	})
	put := huma.Operation{
		OperationID: "put-notice-receiver", Method: http.MethodPut, Path: "/notices/receivers/{name}", Tags: []string{tagNotices},
		Summary:     "Save a receiver of notices, replacing one of the same name",
		Description: "A webhook gets the document sledge-notice-1, signed as Standard Webhooks describes it. If a delivery fails, it is repeated 4 times within 10 minutes.",
	}
	put.Errors = conflict
	add(t, put, func(ctx context.Context, in *struct {
		OneReceiver
		Body notice.Receiver
	},
	) (*of[notice.Receiver], error) {
		sender, err := ns.sender()
		if err != nil {
			return nil, err
		}
		in.Body.Name = in.Name
		return answer(sender.Put(in.Body))
	})
	remove := huma.Operation{
		OperationID: "remove-notice-receiver", Method: http.MethodDelete, Path: "/notices/receivers/{name}", Tags: []string{tagNotices},
		Summary: "Remove a receiver of notices", DefaultStatus: http.StatusNoContent,
	}
	remove.Errors = conflict
	add(t, remove, func(_ context.Context, in *OneReceiver) (*struct{}, error) {
		sender, err := ns.sender()
		if err != nil {
			return nil, err
		}
		return nil, sender.Remove(in.Name)
	})
	test := huma.Operation{
		OperationID: "test-notice-receiver", Method: http.MethodPost, Path: "/notices/receivers/{name}/test", Tags: []string{tagNotices},
		Summary: "Send a test to a receiver of notices", Description: "It is sent once. The response is the logged delivery, even if it failed.",
	}
	test.Errors = conflict
	add(t, test, func(ctx context.Context, in *OneReceiver) (*of[notice.Delivery], error) {
		sender, err := ns.sender()
		if err != nil {
			return nil, err
		}
		return answer(sender.Test(ctx, in.Name))
	})
}
