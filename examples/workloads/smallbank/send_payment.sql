-- results: checking decimal(14,2)
SELECT bal AS checking FROM checking WHERE custid = :a AND bal >= 5;

UPDATE checking SET bal = bal - 5 WHERE custid = :a;

UPDATE checking SET bal = bal + 5 WHERE custid = :b
