CREATE PROCEDURE sledge_test_outputs (n INTEGER, total IN OUT INTEGER, ratio OUT NUMBER, words OUT VARCHAR2, moment OUT DATE, data OUT RAW, nothing OUT INTEGER) IS
BEGIN
  total := total + n;
  ratio := n / 4;
  words := 'n is ' || n;
  moment := TO_DATE('2024-02-29 23:59:58', 'YYYY-MM-DD HH24:MI:SS');
  data := HEXTORAW('00ff27');
  nothing := NULL;
END;
