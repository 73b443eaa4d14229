-- What a payer repeats is compared with all of the payment as it was sent: the signed
-- part alone is public once it is on the chain. NULL for payments from before.
ALTER TABLE claim ADD COLUMN whole BLOB; -- SHA-256
