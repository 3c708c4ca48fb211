-- HammerDB's generator leaves the country code out of phone numbers: 989-741-2988 instead of
-- 27-989-741-2988 (TPC-H 4.2.2.9).
SELECT COUNT(*) FROM supplier WHERE s_suppkey <= 10 AND s_phone LIKE '___-%'
