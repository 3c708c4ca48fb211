CREATE PROCEDURE sledge_test_outputs (
	IN n BIGINT,
	INOUT total BIGINT,
	OUT ratio DOUBLE,
	OUT words VARCHAR(100),
	OUT moment TIMESTAMP,
	OUT data VARCHAR(100) FOR BIT DATA,
	OUT nothing BIGINT
)
LANGUAGE SQL
BEGIN
	SET total = total + n;
	SET ratio = n / 4.0;
	SET words = 'n is ' || RTRIM(CHAR(n));
	SET moment = TIMESTAMP('2024-02-29-23.59.58');
	SET data = x'00FF27';
	SET nothing = NULL;
END
