BEGIN
  DBMS_RANDOM.SEED(TO_CHAR(:seed1) || ',' || TO_CHAR(:seed2));
END;
