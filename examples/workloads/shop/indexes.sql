CREATE INDEX sale_customer ON sale (s_customer, s_id)
