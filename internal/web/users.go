package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"sledge/internal/privatefile"
	"sledge/internal/web/secret"
)

// Role determines what a user may do.
type Role string

// The roles. Act includes Look, and Own includes Act.
const (
	Look Role = "look" // see everything, change nothing
	Act  Role = "act"  // also start, stop and delete
	Own  Role = "own"  // also decide what leaves the server: notices, and what other users have shared
)

// Roles lists them.
var Roles = []Role{Look, Act, Own}

// mayAct reports whether a role includes Act.
func (r Role) mayAct() bool { return r == Act || r == Own }

// member is the role of a user who has roles in projects only. No user can be given it.
const member Role = "member"

// Rights are what a user may do: a role on the whole server, or roles in projects.
type Rights struct {
	Role     Role            `json:"role,omitempty"`     // "" if there are projects
	Projects map[string]Role `json:"projects,omitempty"` // by project, which is the value of the label project
}

// Everywhere returns the rights of a role on the whole server.
func Everywhere(role Role) Rights { return Rights{Role: role} }

// RoleByProject returns the roles in projects as texts; nil if the role is for the whole server.
func (r Rights) RoleByProject() map[string]string {
	var roles map[string]string
	for project, role := range r.Projects {
		if roles == nil {
			roles = map[string]string{}
		}
		roles[project] = string(role)
	}
	return roles
}

// String returns the rights in words: "act", or "own in kernel, look in nightly".
func (r Rights) String() string {
	var list []string
	for _, project := range slices.Sorted(maps.Keys(r.Projects)) {
		list = append(list, fmt.Sprintf("%s in %s", r.Projects[project], project))
	}
	return cmp.Or(strings.Join(list, ", "), string(r.Role))
}

// check returns an error unless there is either a valid role, or projects with valid roles.
func (r Rights) check() error {
	if len(r.Projects) > 0 && r.Role != "" {
		return fmt.Errorf("role %q: a user has a role on the whole server or roles in projects, not both", r.Role)
	}
	for project, role := range r.Projects {
		if project == "" {
			return errors.New("a project has no name")
		}
		if !slices.Contains(Roles, role) {
			return fmt.Errorf("project %q: role %q: give %s, to see its results, %s, to start its set-ups, too, or %s, to share its results, too", project, role, Look, Act, Own)
		}
	}
	if len(r.Projects) == 0 && !slices.Contains(Roles, r.Role) {
		return fmt.Errorf("role %q: give %s, to see results, %s, to change things too, or %s, to set up notices and revoke what others share, too", r.Role, Look, Act, Own)
	}
	return nil
}

// User is a person who logs in with a password, or a program that logs in with a token.
type User struct {
	Name string `json:"name"`
	Rights
	Password string    `json:"password,omitempty"`     // its Argon2id hash
	Token    string    `json:"token_sha256,omitempty"` // hash of a program's token
	Added    time.Time `json:"added"`
}

// proof returns a digest that changes with the user's password or token, and does not reveal them.
func (u User) proof() string {
	sum := sha256.Sum256([]byte(u.Password + "\n" + u.Token))
	return hex.EncodeToString(sum[:8])
}

// Errors that callers distinguish.
var (
	ErrUserExists  = errors.New("there is already a user of this name")
	ErrUserMissing = errors.New("there is no such user")
)

// Users holds the users, which are saved in a file that only its owner may read. List reads the
// file again when it has changed.
type Users struct {
	path string

	mu   sync.Mutex
	read fileState // of the file when list was read
	list []User
}

type fileState struct {
	size int64
	at   time.Time
}

// UsersIn returns the users that are saved in a folder.
func UsersIn(folder string) *Users { return &Users{path: filepath.Join(folder, "web-users.json")} }

// Path returns the path of the file.
func (u *Users) Path() string { return u.path }

// List returns all users, sorted by name. It returns no users if there is no file.
func (u *Users) List() ([]User, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	info, err := os.Stat(u.path)
	if errors.Is(err, fs.ErrNotExist) {
		u.list, u.read = nil, fileState{}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the users: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("read the users: others may read or write %s: protect it with chmod 600 %[1]s", u.path)
	}
	now := fileState{info.Size(), info.ModTime()}
	if now == u.read {
		return slices.Clone(u.list), nil
	}
	text, err := os.ReadFile(u.path)
	if err != nil {
		return nil, fmt.Errorf("read the users: %w", err)
	}
	var file struct{ Users []User }
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("read the users: %s is damaged: %w", u.path, err)
	}
	for _, one := range file.Users {
		if err := checkUser(one.Name, one.Rights); err != nil {
			return nil, fmt.Errorf("read the users: %s: %w", u.path, err)
		}
	}
	u.list, u.read = file.Users, now
	return slices.Clone(u.list), nil
}

// find returns the user of a name.
func (u *Users) find(name string) (user User, found bool, err error) {
	users, err := u.List()
	if at := slices.IndexFunc(users, func(of User) bool { return of.Name == name }); at >= 0 {
		return users[at], true, err
	}
	return User{}, false, err
}

var userNames = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`)

func checkUser(name string, rights Rights) error {
	if !userNames.MatchString(name) {
		return fmt.Errorf("user %q: a name has 1 to 64 letters, digits and . _ @ -, and begins with a letter or digit", name)
	}
	if name == linkUser {
		return fmt.Errorf("user %s: choose another name, because this one stands for the login link", linkUser)
	}
	return rights.check()
}

// leastPassword is the minimum length of a password in characters (NIST SP 800-63B, 5.1.1.2).
const leastPassword = 8

// CheckPassword refuses a password that is too short or too long.
func CheckPassword(password string) error {
	if n := utf8.RuneCountInString(password); n < leastPassword {
		return fmt.Errorf("the password has %d characters, and needs at least %d", n, leastPassword)
	}
	if len(password) > formBytes/4 {
		return fmt.Errorf("the password is longer than %d bytes", formBytes/4)
	}
	return nil
}

// Check returns an error if the name or the rights are invalid, or if the user exists and replace is
// false.
func (u *Users) Check(name string, rights Rights, replace bool) error {
	if err := checkUser(name, rights); err != nil {
		return err
	}
	_, found, err := u.find(name)
	if err == nil && found && !replace {
		return fmt.Errorf("user %s: %w", name, ErrUserExists)
	}
	return err
}

// AddPassword adds or replaces a user with a password.
func (u *Users) AddPassword(name string, rights Rights, password string) error {
	if err := CheckPassword(password); err != nil {
		return err
	}
	return u.put(User{Name: name, Rights: rights, Password: hashPassword(password)})
}

// AddToken adds or replaces a program with a new token. It returns the token and saves only its hash.
func (u *Users) AddToken(name string, rights Rights) (token string, err error) {
	token = tokenPrefix + secret.New()
	return token, u.put(User{Name: name, Rights: rights, Token: secret.Hash(token)})
}

func (u *Users) put(user User) error {
	if err := checkUser(user.Name, user.Rights); err != nil {
		return err
	}
	unlock, err := u.lock()
	if err != nil {
		return err
	}
	defer unlock()
	users, err := u.List()
	if err != nil {
		return err
	}
	user.Added = time.Now().UTC().Truncate(time.Second)
	users = slices.DeleteFunc(users, func(of User) bool { return of.Name == user.Name })
	return u.write(append(users, user))
}

// Remove removes a user. The user's sessions end.
func (u *Users) Remove(name string) error {
	if _, found, err := u.find(name); err != nil || !found {
		return cmp.Or(err, fmt.Errorf("user %q: %w", name, ErrUserMissing))
	}
	unlock, err := u.lock()
	if err != nil {
		return err
	}
	defer unlock()
	users, err := u.List()
	if err != nil {
		return err
	}
	return u.write(slices.DeleteFunc(users, func(of User) bool { return of.Name == name }))
}

// lock locks the file against changes by other processes until unlock.
func (u *Users) lock() (unlock func(), err error) {
	if unlock, err = privatefile.Lock(u.path); err != nil {
		return nil, fmt.Errorf("write the users: %w", err)
	}
	return unlock, nil
}

// Errors of ChangePassword.
var (
	errWrongPassword = errors.New("the old password is wrong")
	errUnfit         = errors.New("the password was not changed")
)

// ChangePassword changes a user's password if old is the current one. It returns the changed user.
func (u *Users) ChangePassword(name, old, password string) (User, error) {
	before, found, err := u.find(name)
	switch {
	case err != nil:
		return User{}, err
	case !found || before.Password == "":
		return User{}, fmt.Errorf("%w: %s does not log in with a password", errUnfit, name)
	case !isPassword(before.Password, old):
		return User{}, errWrongPassword
	}
	if err := CheckPassword(password); err != nil {
		return User{}, fmt.Errorf("%w: %w", errUnfit, err)
	}
	if password == old {
		return User{}, fmt.Errorf("%w: the new password equals the old one", errUnfit)
	}
	hash := hashPassword(password)
	unlock, err := u.lock()
	if err != nil {
		return User{}, err
	}
	defer unlock()
	users, err := u.List()
	if err != nil {
		return User{}, err
	}
	at := slices.IndexFunc(users, func(of User) bool { return of.Name == name && of.Password == before.Password })
	if at < 0 {
		return User{}, fmt.Errorf("%w: the user was changed elsewhere at the same time: try again", errUnfit)
	}
	users[at].Password = hash
	after := users[at] // a copy, because write sorts users
	return after, u.write(users)
}

func (u *Users) write(users []User) error {
	slices.SortFunc(users, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	file := struct {
		Users []User `json:"users"`
	}{users}
	if err := privatefile.ReplaceJSON(u.path, file); err != nil {
		return fmt.Errorf("write the users: %w", err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.read = fileState{} // the new file may have the same size and time as the old one
	return nil
}

// tokenPrefix lets secret scanners recognize a token.
const tokenPrefix = "sledge_"

// byToken returns the user of a token.
func (u *Users) byToken(token string) (user User, found bool, err error) {
	users, err := u.List()
	hash := secret.Hash(token)
	for _, of := range users {
		if of.Token != "" && subtle.ConstantTimeCompare([]byte(of.Token), []byte(hash)) == 1 {
			user, found = of, true
		}
	}
	return user, found, err
}
