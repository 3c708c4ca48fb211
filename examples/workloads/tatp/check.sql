-- name: facilities
-- each forwarded call belongs to a facility of the subscriber
SELECT cf.s_id, cf.sf_type FROM call_forwarding cf
LEFT JOIN special_facility sf ON sf.s_id = cf.s_id AND sf.sf_type = cf.sf_type
WHERE sf.s_id IS NULL
