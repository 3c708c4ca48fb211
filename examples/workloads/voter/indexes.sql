CREATE INDEX votes_phone ON votes (phone)
