package database

import "sledge/internal/job"

// longest is the limit of a text of the server, in bytes. It leaves room for the words around the
// text, so that the whole is not longer than job.LongestText and keeps what comes after the text.
const longest = job.LongestText - 512

// Short returns err. If its text is longer than 3.5 KiB, Short returns an error with a shortened
// text that wraps err. Sessions use it if the server has no limit of its own, because an error of
// 20 MB would be printed and stored. Nil stays nil.
func Short(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); len(text) > longest {
		return shortened{job.Cut(text, longest), err}
	}
	return err
}

// Short shortens the values of a table that are longer than 3.5 KiB. Functions use it for names,
// versions and settings, but not for plans, which are kept in full.
func (t Table) Short() Table {
	for _, row := range t.Rows {
		for i := range row {
			row[i] = job.Cut(row[i], longest)
		}
	}
	return t
}

// shortened is an error with a shorter text.
type shortened struct {
	text string
	err  error
}

func (s shortened) Error() string { return s.text }
func (s shortened) Unwrap() error { return s.err }
