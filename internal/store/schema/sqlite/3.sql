-- Nonces of Sign-In with Ethereum that were issued and are not used yet.
CREATE TABLE nonce (
	value   TEXT    PRIMARY KEY,
	expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX nonce_by_age ON nonce (expires);

-- Browsers in which an agent is signed in to the site. The token itself is nowhere.
CREATE TABLE session (
	hash    BLOB    PRIMARY KEY, -- SHA-256
	agent   INTEGER NOT NULL REFERENCES agent,
	expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
