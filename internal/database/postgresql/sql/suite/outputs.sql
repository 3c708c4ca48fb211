CREATE PROCEDURE sledge_test_outputs(n bigint, INOUT total bigint, INOUT ratio numeric, INOUT words text, INOUT moment timestamp, INOUT data bytea, INOUT nothing bigint)
LANGUAGE plpgsql AS $$
BEGIN
  total := total + n;
  ratio := n / 4.0;
  words := 'n is ' || n;
  moment := '2024-02-29 23:59:58';
  data := '\x00ff27'::bytea;
  nothing := NULL;
END $$
