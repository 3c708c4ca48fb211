-- results: total decimal(14,2)
SELECT s.bal + c.bal AS total FROM savings s JOIN checking c ON c.custid = s.custid WHERE s.custid = :a;

UPDATE checking SET bal = bal - 5 - CASE WHEN CAST(:total AS decimal(14,2)) < 5 THEN 1 ELSE 0 END WHERE custid = :a
