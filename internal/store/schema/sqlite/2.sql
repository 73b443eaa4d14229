-- Payments, by what tells each from all others: whoever inserts the row deals
-- with the payment, in whichever process. It is inserted before anybody is asked,
-- deleted when the payment was not taken and is free again, and kept for good
-- once it is settled.
CREATE TABLE claim (
	seq         INTEGER PRIMARY KEY,
	id          BLOB    NOT NULL UNIQUE, -- of the payment: see x402.Payment
	request     BLOB    NOT NULL,    -- SHA-256 of method, path, query and body that it pays for
	payload     BLOB    NOT NULL,    -- SHA-256 of the payment's signed part
	state       TEXT    NOT NULL,    -- claimed: nothing was sent that moves money; settling: it was sent, and how it ended is not known; settled
	held_since  INTEGER NOT NULL,    -- when whoever is at work on it, or was last, began: it tells holders apart
	lease_until INTEGER NOT NULL,    -- until when that is surely so; a holder that lives prolongs it
	tries       INTEGER NOT NULL DEFAULT 0, -- settlements that were sent
	operation   TEXT    NOT NULL,
	network     TEXT    NOT NULL,    -- CAIP-2
	asset       TEXT    NOT NULL,
	amount      INTEGER NOT NULL,    -- atomic units of the asset
	payer       TEXT    NOT NULL,
	pay_to      TEXT    NOT NULL,
	agent       INTEGER REFERENCES agent, -- whose key came with the payment
	identifier  TEXT,                -- of the extension payment-identifier
	created     INTEGER NOT NULL,
	updated     INTEGER NOT NULL,
	tx_hash     TEXT,                -- the transaction, as far as it is known
	reason      TEXT,                -- why it is not settled yet
	due         INTEGER,             -- when to ask again how it ended; NULL: not by itself
	payment     BLOB,                -- what the facilitator is sent; NULL once it is settled
	answer      BLOB                 -- what the payer gets; NULL before it is made and long after
) STRICT;
CREATE UNIQUE INDEX claim_by_identifier ON claim (payer, identifier) WHERE identifier IS NOT NULL;
CREATE INDEX claim_by_agent ON claim (agent) WHERE agent IS NOT NULL;
-- Few rows are ever open or have an answer: these two stay small.
CREATE INDEX claim_open ON claim (seq) WHERE state <> 'settled';
CREATE INDEX claim_with_answer ON claim (seq) WHERE answer IS NOT NULL;
