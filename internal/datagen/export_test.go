package datagen

// Days parses a date as the encoder of Parquet files does.
func Days(text string) (int64, error) { return days([]byte(text)) }

// Explain adds the consequence and advice to an error.
var Explain = explain
