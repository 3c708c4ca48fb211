INSERT INTO measurement (m_id, m_device, m_time, m_value) VALUES (:m_id, :m_device, :m_time, :m_value)
