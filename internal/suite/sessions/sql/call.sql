-- Calls the procedure that a database's outputs.sql creates.
CALL sledge_test_outputs(:n, :total, :ratio, :words, :moment, :data, :nothing)
