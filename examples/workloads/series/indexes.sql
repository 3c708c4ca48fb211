CREATE INDEX measurement_device ON measurement (m_device, m_time)
