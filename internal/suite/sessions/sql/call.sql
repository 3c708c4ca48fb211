-- Calls the procedure that outputs.sql of a database makes.
CALL sledge_test_outputs(:n, :total, :ratio, :words, :moment, :data, :nothing)
