-- name: devices
-- each measurement belongs to a device
SELECT m_id, m_device FROM measurement LEFT JOIN device ON d_id = m_device WHERE d_id IS NULL
