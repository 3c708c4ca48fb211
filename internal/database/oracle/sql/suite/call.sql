BEGIN
  sledge_test_outputs(:n, :total, :ratio, :words, :moment, :data, :nothing);
END;
