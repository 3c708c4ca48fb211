UPDATE sitest SET value = value + 1 WHERE id = :id
