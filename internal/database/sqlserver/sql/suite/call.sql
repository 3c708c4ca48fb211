EXECUTE sledge_test_outputs @n = :n, @total = :total, @ratio = :ratio, @words = :words, @moment = :moment, @data = :data, @nothing = :nothing
