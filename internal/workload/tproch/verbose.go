package tproch

import (
	"sledge/internal/database"
	"sledge/internal/job"
)

// rowsShown limits the rows of an answer that are shown, because some answers have thousands.
const rowsShown = 20

// shown is the printed form of a query and its answer.
func shown(text string, answer database.Table, failed error) *job.Answer {
	if failed != nil {
		return &job.Answer{Text: text}
	}
	rows := answer.Rows[:min(len(answer.Rows), rowsShown)]
	return &job.Answer{Text: text, Columns: answer.Columns, Rows: rows, More: int64(len(answer.Rows) - len(rows))}
}
