INSERT INTO message (m_id, m_text) VALUES (:m_id, :m_text)
