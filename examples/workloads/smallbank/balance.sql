SELECT s.bal + c.bal AS total FROM savings s JOIN checking c ON c.custid = s.custid WHERE s.custid = :a
