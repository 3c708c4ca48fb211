-- Runs ten million steps on one thread, and returns how many milliseconds they took by the server's
-- clock. The step is one with well-known times.
SET NOCOUNT ON;
DECLARE @n numeric(16,6) = 0, @step int = 1, @began datetime2 = SYSDATETIME();
WHILE @step <= 10000000
BEGIN
  SET @n = @n % 999999 + SQRT(@step);
  SET @step = @step + 1;
END;
SELECT @step - 1 AS steps, DATEDIFF(MILLISECOND, @began, SYSDATETIME()) AS milliseconds, @n AS outcome
