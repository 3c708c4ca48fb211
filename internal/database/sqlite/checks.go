package sqlite

import (
	"sledge/internal/doctor"
	"sledge/internal/job"
)

const manual = "sqlite.org, "

// checks are Runs.Checks. They read the sections of doctor.sql.
var checks = []doctor.Check{
	{
		ID: "sqlite.journal", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "wal, with several users",
		Why:    "Without a write-ahead log, a writer waits for all readers and they wait for it.",
		Mend:   "PRAGMA journal_mode = wal",
		Source: manual + "Write-Ahead Logging",
		Finds: func(f *doctor.Facts) string {
			mode := f.Setting("journal_mode")
			return doctor.If(mode != "wal" && f.Load().Users > 1, "journal_mode is %s, for %d users", mode, f.Load().Users)
		},
	},
	{
		ID: "sqlite.synchronous", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "full, if commits must survive a power failure",
		Why:    "The last commits are lost with the power, or, if it is off, the file may be.",
		Mend:   "Give --set synchronous=full",
		Source: manual + "PRAGMA synchronous",
		Finds: func(f *doctor.Facts) string {
			const off, normal = "0", "1"
			switch value := f.Setting("synchronous"); {
			case value == off:
				return "synchronous is off"
			case value == normal && f.Setting("journal_mode") == "wal":
				return "synchronous is normal with a write-ahead log"
			}
			return ""
		},
	},
	{
		ID: "sqlite.busy_timeout", On: doctor.Server, Severity: job.SeverityMedium,
		Wanted: "at least 5000 ms",
		Why:    "Transactions fail that wait longer for a lock.",
		Mend:   "Give --set busy_timeout=10000",
		Source: manual + "PRAGMA busy_timeout",
		Finds: func(f *doctor.Facts) string {
			wait := f.Size("busy_timeout")
			return doctor.If(wait < 5000, "busy_timeout is %.0f ms", wait)
		},
	},
	{
		ID: "sqlite.page_size", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "4096 bytes, the default, or the same in all files that are compared",
		Why:    "Each change writes whole pages.",
		Mend:   "PRAGMA journal_mode = delete; PRAGMA page_size = 4096; VACUUM",
		Source: manual + "PRAGMA page_size",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Setting("page_size") != "4096", "page_size is %s", f.Setting("page_size"))
		},
	},
}
