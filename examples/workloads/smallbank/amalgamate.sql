-- results: savings decimal(14,2)
SELECT bal AS savings FROM savings WHERE custid = :a;

-- results: checking decimal(14,2)
SELECT bal AS checking FROM checking WHERE custid = :a;

UPDATE savings SET bal = bal - :savings WHERE custid = :a;

UPDATE checking SET bal = bal - :checking WHERE custid = :a;

UPDATE checking SET bal = bal + :savings + :checking WHERE custid = :b
