-- Calls without arguments. The server looks at the right to call a procedure before it counts its arguments, so it
-- refuses these for one reason or the other and does nothing.

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
