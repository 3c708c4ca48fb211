SELECT MIN(value) AS least FROM sitest
