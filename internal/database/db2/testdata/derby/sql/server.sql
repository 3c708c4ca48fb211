-- name: version
SELECT CAST('10.7' AS VARCHAR(10)) FROM sysibm.sysdummy1

-- name: settings
SELECT CAST('waitTimeout' AS VARCHAR(20)) AS name, CAST('3' AS VARCHAR(10)) AS value FROM sysibm.sysdummy1

-- name: settings_of_instance
SELECT CAST('pageSize' AS VARCHAR(20)) AS name, CAST('4096' AS VARCHAR(10)) AS value FROM sysibm.sysdummy1

-- name: settings_of_registry
SELECT CAST('durability' AS VARCHAR(20)) AS name, CAST('test' AS VARCHAR(10)) AS value FROM sysibm.sysdummy1

-- name: session
SELECT CAST('a session' AS VARCHAR(20)) FROM sysibm.sysdummy1
