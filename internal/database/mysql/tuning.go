package mysql

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
)

// tuning sets global variables, which last until the server restarts. Those that are read only are
// written into a configuration file, because MariaDB has no SET PERSIST, and a value with which MySQL
// does not start would stay in mysqld-auto.cnf.
var tuning = &database.Tuning{Identity: identity, Read: readVariable, Set: setVariable, Text: optionFile, Differs: differs, Uptime: uptime}

func identity(ctx context.Context, s database.Session) (string, error) {
	t, err := s.Query(ctx, "SELECT concat_ws(' ', @@hostname, @@port, @@datadir)", 1)
	if err != nil {
		return "", err
	}
	return t.Rows[0][0], nil
}

// variableName is what names of variables look like.
var variableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func readVariable(ctx context.Context, s database.Session, name string) (database.Tuned, error) {
	if !variableName.MatchString(name) {
		return database.Tuned{}, errors.New("this is not the name of a variable")
	}
	t, err := s.Query(ctx, "SHOW GLOBAL VARIABLES WHERE Variable_name = '"+strings.ToLower(name)+"'", 1)
	switch {
	case err != nil:
		return database.Tuned{}, err
	case len(t.Rows) == 0:
		return database.Tuned{}, errors.New("the server does not know this variable, or only sessions have it")
	}
	value := t.Rows[0][1]
	return database.Tuned{Name: name, Value: value, Set: true, InEffect: value}, nil
}

func setVariable(ctx context.Context, s database.Session, to database.Tuned) error {
	err := s.Exec(ctx, "SET GLOBAL "+to.Name+" = "+valueOf(to.Value))
	const readOnly = 1238
	if number(err) == readOnly {
		return database.ErrRestart
	}
	return err
}

// differs reports whether a server rounded a value, or has a limit.
func differs(value, printed string) bool {
	wanted, notWanted := strconv.ParseFloat(valueOf(value), 64)
	used, notUsed := strconv.ParseFloat(printed, 64)
	return notWanted == nil && notUsed == nil && wanted != used
}

// optionFile returns the text of a file of options with variables.
func optionFile(settings []database.Tuned) string {
	text := "[mysqld]\n"
	for _, one := range settings {
		text += one.Name + ` = "` + strings.ReplaceAll(one.Value, `\`, `\\`) + `"` + "\n"
	}
	return text
}

func uptime(ctx context.Context, s database.Session) (time.Duration, error) {
	t, err := s.Query(ctx, "SHOW GLOBAL STATUS LIKE 'Uptime'", 1)
	if err != nil {
		return 0, err
	}
	seconds, err := strconv.ParseInt(t.Rows[0][1], 10, 64)
	return time.Duration(seconds) * time.Second, err
}

// sized matches a number with the suffix that files of options may have, and SET may not.
var sized = regexp.MustCompile(`^(\d+)([KkMmGgTt])$`)

// valueOf returns a value for SET: a number as it is, and anything else as text.
func valueOf(text string) string {
	if found := sized.FindStringSubmatch(text); found != nil {
		shift := map[string]int{"K": 10, "M": 20, "G": 30, "T": 40}[strings.ToUpper(found[2])]
		if n, err := strconv.ParseUint(found[1], 10, 64); err == nil && n<<shift>>shift == n {
			return strconv.FormatUint(n<<shift, 10)
		}
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}
