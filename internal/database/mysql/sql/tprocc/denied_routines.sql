-- Calls without arguments. The server checks the right to call a procedure before it counts the
-- arguments, so each call fails for one of the two reasons and changes nothing.

-- name: neword
CALL neword()

-- name: payment
CALL payment()

-- name: delivery
CALL delivery()

-- name: slev
CALL slev()

-- name: ostat
CALL ostat()
