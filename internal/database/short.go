package database

import "sledge/internal/job"

// Short returns err. If its text is longer than job.LongestText bytes, Short returns an error with
// a shortened text that wraps err. Sessions use it if the server has no limit of its own, because
// an error of 20 MB would be printed and stored. Nil stays nil.
func Short(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); len(text) > job.LongestText {
		return shortened{job.Cut(text, job.LongestText), err}
	}
	return err
}

// shortened is an error with a shorter text.
type shortened struct {
	text string
	err  error
}

func (s shortened) Error() string { return s.text }
func (s shortened) Unwrap() error { return s.err }
