-- The last name of a number from 0 to 999 (TPC-C 4.3.2.3).
CREATE OR REPLACE FUNCTION bench_last_name(n integer) RETURNS varchar LANGUAGE sql IMMUTABLE AS $$
  SELECT (syllables[n / 100 + 1] || syllables[n / 10 % 10 + 1] || syllables[n % 10 + 1])::varchar
  FROM (VALUES (ARRAY['BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'])) AS s (syllables)
$$
