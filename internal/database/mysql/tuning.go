package mysql

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sledge/internal/database"
)

// tuning sets global variables, which last until the server restarts.
var tuning = &database.Tuning{Identity: identity, Read: readVariable, Set: setVariable}

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
	switch {
	case number(err) == readOnly:
		return fmt.Errorf("the server must be restarted to change this variable: %w", err)
	case err != nil:
		return err
	}
	now, err := readVariable(ctx, s, to.Name)
	if err != nil {
		return err
	}
	wanted, notWanted := strconv.ParseFloat(valueOf(to.Value), 64)
	used, notUsed := strconv.ParseFloat(now.Value, 64)
	if notWanted == nil && notUsed == nil && wanted != used { // the server rounds, or has limits
		return fmt.Errorf("the server uses %s instead: give that", now.Value)
	}
	return nil
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
