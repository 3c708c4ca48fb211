-- results: m_id
SELECT m_id FROM message ORDER BY m_id LIMIT 1;

DELETE FROM message WHERE m_id = :m_id
