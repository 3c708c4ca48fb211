-- name: accounts
-- each customer has a savings and a checking account
SELECT a.custid FROM accounts a
LEFT JOIN savings s ON s.custid = a.custid
LEFT JOIN checking c ON c.custid = a.custid
WHERE s.custid IS NULL OR c.custid IS NULL
