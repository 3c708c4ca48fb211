UPDATE subscriber SET bit_1 = :bit_1 WHERE s_id = :s_id;

UPDATE special_facility SET data_a = :data_a WHERE s_id = :s_id AND sf_type = :sf_type
