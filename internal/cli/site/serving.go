package site

import (
	"path/filepath"

	"sledge/internal/host"
	"sledge/internal/settings"
	"sledge/internal/web"
	"sledge/internal/web/api"
)

// serving describes how a site is served.
func (s *Site) serving() api.Serving {
	of := api.Serving{
		Address: s.Address(), Home: s.Home(), BasePath: s.BasePath, ReadOnly: s.ReadOnly, Folder: s.Folder,
		Hostnames: append([]string{}, s.Hostnames...), Proxies: []string{},
	}
	for _, proxy := range s.Proxies {
		text := proxy.String()
		if proxy.IsSingleIP() {
			text = proxy.Addr().String()
		}
		of.Proxies = append(of.Proxies, text)
	}
	if self, err := host.Self(); err == nil { // these details are optional
		of.Host, of.Process, of.Begun = self.Host, self.PID, self.Begun.UTC()
	}
	if s.TLS != nil {
		of.TLS = &api.Certificate{Fingerprint: web.Fingerprint(s.TLS), Names: []string{}}
		if leaf := s.TLS.Certificates[0].Leaf; leaf != nil {
			of.TLS.Until, of.TLS.Names = leaf.NotAfter.UTC(), append(of.TLS.Names, leaf.DNSNames...)
			for _, address := range leaf.IPAddresses {
				of.TLS.Names = append(of.TLS.Names, address.String())
			}
		}
	}
	return of
}

// users lists the users of a site, and the commands that change them.
func (s *Site) users() (api.Users, error) {
	all, err := web.UsersIn(s.Folder).List()
	if err != nil {
		return api.Users{}, err
	}
	path, err := filepath.Abs(s.Store.Path())
	if err != nil {
		return api.Users{}, err
	}
	repo := " --repo " + settings.ShellWord(path)
	list := api.Users{Users: []api.User{}, Commands: []api.Command{
		{Does: "Add a person (asks for a password)", Command: "sledge web user add NAME --role look" + repo},
		{Does: "Add a program (prints a token once)", Command: "sledge web user add NAME --role act --token" + repo},
		{Does: "Add a person who sees one project only", Command: "sledge web user add NAME --project PROJECT=look" + repo},
		{Does: "Change a user's password or role", Command: "sledge web user add NAME --role act --replace" + repo},
		{Does: "Remove a user and end their logins", Command: "sledge web user remove NAME" + repo},
	}}
	for _, one := range all {
		list.Users = append(list.Users, api.User{Name: one.Name, Role: string(one.Role), Projects: one.RoleByProject(), By: one.By(), Added: one.Added})
	}
	return list, nil
}
