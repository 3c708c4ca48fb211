-- The calls of the stored procedures, with named parameters. Each takes one round trip. The time is
-- from the server's clock.

-- name: neword
DECLARE @sledge_now datetime2(0) = SYSDATETIME();
EXECUTE dbo.neword @no_w_id = :w_id, @no_max_w_id = :max_w_id, @no_d_id = :d_id, @no_c_id = :c_id, @no_o_ol_cnt = :ol_cnt, @TIMESTAMP = @sledge_now

-- name: payment
DECLARE @sledge_now datetime2(0) = SYSDATETIME(), @sledge_amount numeric(6,2) = :h_amount_cents / 100.0;
EXECUTE dbo.payment @p_w_id = :w_id, @p_d_id = :d_id, @p_c_w_id = :c_w_id, @p_c_d_id = :c_d_id, @p_c_id = :c_id, @byname = :by_name,
  @p_h_amount = @sledge_amount, @p_c_last = :c_last, @TIMESTAMP = @sledge_now

-- name: delivery
DECLARE @sledge_now datetime2(0) = SYSDATETIME();
EXECUTE dbo.delivery @d_w_id = :w_id, @d_o_carrier_id = :carrier_id, @timestamp = @sledge_now

-- name: slev
EXECUTE dbo.slev @st_w_id = :w_id, @st_d_id = :d_id, @threshold = :threshold

-- name: ostat
EXECUTE dbo.ostat @os_w_id = :w_id, @os_d_id = :d_id, @os_c_id = :c_id, @byname = :by_name, @os_c_last = :c_last
