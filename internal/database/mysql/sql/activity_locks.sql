-- The sessions that wait for a row, which the process list does not tell. It requires the privilege
-- PROCESS.
SELECT trx_mysql_thread_id FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'
