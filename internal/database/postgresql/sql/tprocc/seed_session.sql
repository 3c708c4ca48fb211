-- From now on, the seed determines the random numbers of this session. setseed uses the first 53 of
-- its 60 bits.
SELECT setseed(2 * (:seed1 / 1073741824.0::float8 + :seed2 / 1152921504606846976.0::float8) - 1)
