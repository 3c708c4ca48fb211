package plan

import "sledge/internal/job"

// checkRestore returns an error if the run is to begin with a copy of its schema, and the database keeps
// none.
func (p Plan) checkRestore() error {
	if p.Spec.Action != job.Run || !p.Pacing.Restores {
		return nil
	}
	if p.Database.Container.Restore == nil {
		return p.Spec.Names.Wrong("restore", "true", "%s keeps no copy of a schema: build it again instead, which an experiment does with build = \"each\"", p.Database.Title)
	}
	if p.Pool != nil {
		return p.Spec.Names.Wrong("restore", "true", "the virtual users have a pool of connections, which may lead to several servers: restore and pools cannot be combined")
	}
	return nil
}
