-- From here on the random numbers of this session follow from the seed, of which
-- setseed keeps the first 53 of the 60 bits.
SELECT setseed(2 * (:seed1 / 1073741824.0::float8 + :seed2 / 1152921504606846976.0::float8) - 1)
