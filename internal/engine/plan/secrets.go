package plan

import (
	"sledge/internal/engine/pool"
	"sledge/internal/job"
	"sledge/internal/option"
)

// conceal moves the values of secret options from Options to Secrets. If a pool contains passwords,
// Options holds the pool without them, and Secrets holds the whole pool.
func conceal(spec job.Spec, known []option.Description) (job.Spec, error) {
	public, given := spec.Options.Split(known)
	secrets := spec.Secrets.Reveal().Clone()
	for name, value := range given {
		secrets[name] = value
	}
	if text := public[pool.Option]; pool.IsPool(text) {
		shown, err := pool.Public(text, known)
		if err != nil {
			return spec, spec.Names.Wrong(pool.Option, "", "%w", err)
		}
		if shown != text {
			public[pool.Option], secrets[pool.Option] = shown, text
		} else if before, err := pool.Public(secrets[pool.Option], known); err == nil && before != shown {
			delete(secrets, pool.Option) // they belong to another pool
		}
	}
	spec.Options, spec.Secrets = public, option.NewSecrets(secrets)
	return spec, nil
}
