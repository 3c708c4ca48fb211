CREATE PROCEDURE sledge_test_outputs @n bigint, @total bigint OUTPUT, @ratio float OUTPUT, @words varchar(200) OUTPUT, @moment datetime2(0) OUTPUT, @data varbinary(100) OUTPUT, @nothing bigint OUTPUT
AS
BEGIN
  SET NOCOUNT ON;
  SELECT 'discarded rows' AS note;
  SET @total = @total + @n;
  SET @ratio = @n / 4.0;
  SET @words = CONCAT('n is ', @n);
  SET @moment = '2024-02-29T23:59:58';
  SET @data = 0x00ff27;
  SET @nothing = NULL;
END
