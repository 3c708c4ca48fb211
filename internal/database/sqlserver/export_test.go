package sqlserver

// Sent is SQL that the program puts together itself, for the grammars.
func Sent() []string {
	return []string{
		bulkInsertStatement("order_line", `\\db1\load\it's.bcp`, true), switched("SHOWPLAN_XML", "ON"), switched("STATISTICS XML", "OFF"),
	}
}
