UPDATE checking SET bal = bal + 1.3 WHERE custid = :a
