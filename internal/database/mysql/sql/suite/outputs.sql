CREATE PROCEDURE sledge_test_outputs(IN n BIGINT, INOUT total BIGINT, OUT ratio DECIMAL(12,2), OUT words VARCHAR(200), OUT moment DATETIME, OUT data BLOB, OUT nothing BIGINT)
BEGIN
  SELECT 'discarded rows' AS note;
  SET total = total + n, ratio = n / 4, words = CONCAT('n is ', n);
  SET moment = '2024-02-29 23:59:58', data = x'00ff27', nothing = NULL;
END
