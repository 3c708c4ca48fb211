SELECT m_time, m_value FROM measurement WHERE m_device = :m_device ORDER BY m_time DESC LIMIT 1
