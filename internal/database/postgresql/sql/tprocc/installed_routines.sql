-- Routines that Sledge made say so in their text.
SELECT lower(proname), CASE prokind WHEN 'p' THEN 'procedure' ELSE 'function' END,
  CASE WHEN prosrc LIKE '%made by Sledge%' THEN 'sledge' ELSE 'other' END
FROM pg_proc
WHERE pronamespace = 'public'::regnamespace AND prokind IN ('f', 'p')
  AND lower(proname) IN ('neword', 'payment', 'delivery', 'ostat', 'slev')
ORDER BY proname, prokind
