-- results: m_id
SELECT m_id FROM message ORDER BY m_id LIMIT 1 FOR UPDATE SKIP LOCKED;

DELETE FROM message WHERE m_id = :m_id
