UPDATE savings SET bal = bal + 20.2 WHERE custid = :a
