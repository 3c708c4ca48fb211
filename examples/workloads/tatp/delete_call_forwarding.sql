DELETE FROM call_forwarding WHERE s_id = :s_id AND sf_type = :sf_type AND start_time = :start_time
