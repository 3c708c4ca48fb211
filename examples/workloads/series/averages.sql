SELECT AVG(m_value) AS average, COUNT(*) AS number FROM measurement WHERE m_device = :m_device AND m_time >= :m_time
