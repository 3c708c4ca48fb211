package datagen

// Days reads a date as Parquet files have it.
func Days(text string) (int64, error) { return days([]byte(text)) }

// Explain says what follows from an error that ended the writing.
var Explain = explain
