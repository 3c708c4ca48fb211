-- Activity outside a run that slows it: see the file of PostgreSQL. Any user may read this.
SELECT 'history', 0, CONCAT('the history of InnoDB had ', variable_value, ' transactions that were not purged')
FROM information_schema.global_status WHERE variable_name = 'INNODB_HISTORY_LIST_LENGTH' AND CAST(variable_value AS UNSIGNED) >= 200000
