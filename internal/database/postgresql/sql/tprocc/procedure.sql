-- Calls of the routines as procedures, with the arguments of TPROC-C. They end their transaction
-- themselves, so the session must not be in a transaction.

-- name: neword
CALL neword(:w_id, :max_w_id, :d_id, :c_id, :ol_cnt, 0.0, '', '', 0.0, 0.0, 0, LOCALTIMESTAMP(0))

-- name: payment
CALL payment(:w_id, :d_id, :c_w_id, :c_d_id, :by_name, :h_amount_cents / 100.0, '0', :c_last, :c_id,
  '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '',
  NULL, 0.0, 0.0, 0.0, '', LOCALTIMESTAMP(0))

-- name: delivery
CALL delivery(:w_id, :carrier_id, LOCALTIMESTAMP(0))

-- name: slev
CALL slev(:w_id, :d_id, :threshold, 0)

-- name: ostat
CALL ostat(:w_id, :d_id, :c_id, :by_name, :c_last, '', '', 0.0, 0, NULL, 0, '')
