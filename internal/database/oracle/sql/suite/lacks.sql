-- name: empty
Oracle has NULL in place of a text, or of bytes, of no length
