SET SESSION rand_seed1 = :seed1, rand_seed2 = :seed2
