SELECT data1, data2, data3, data4 FROM access_info WHERE s_id = :s_id AND ai_type = :ai_type
