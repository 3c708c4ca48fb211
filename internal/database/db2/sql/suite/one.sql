SELECT 1 FROM sysibm.sysdummy1
