-- Times are microseconds since 1970 in UTC. Money is cents of a US dollar.

CREATE TABLE meta (
	name  TEXT PRIMARY KEY,
	value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What reports and listings name, by kind and canonical value.
CREATE TABLE subject (
	id    INTEGER PRIMARY KEY,
	kind  TEXT NOT NULL, -- evm, domain; more will come
	value TEXT NOT NULL,
	UNIQUE (kind, value)
) STRICT;

-- Public lists that were imported at least once.
CREATE TABLE list (
	id       INTEGER PRIMARY KEY,
	name     TEXT NOT NULL UNIQUE,
	family   TEXT NOT NULL,           -- lists that copy each other score as one origin
	url      TEXT NOT NULL,
	imported INTEGER,                 -- end of the last complete import, or how old the copy is that was read
	listings INTEGER NOT NULL DEFAULT 0, -- in force after it
	reports  INTEGER NOT NULL DEFAULT 0  -- shown after it
) STRICT;

-- That a list names a subject. A row is never deleted, only withdrawn.
CREATE TABLE listing (
	subject   INTEGER NOT NULL REFERENCES subject,
	list      INTEGER NOT NULL REFERENCES list,
	chain     TEXT    NOT NULL, -- CAIP-2, or '' for all
	kind      TEXT    NOT NULL, -- risk, sanction, safe, shared
	category  TEXT    NOT NULL,
	url       TEXT    NOT NULL,
	name      TEXT    NOT NULL,
	program   TEXT    NOT NULL,
	since     INTEGER,          -- NULL: it stood there at the first import, undated
	withdrawn INTEGER,
	hidden    INTEGER NOT NULL DEFAULT 0, -- 1: with the list's story about the subject, by the operator
	PRIMARY KEY (subject, list, chain, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX listing_by_list ON listing (list);

-- Those who hold keys.
CREATE TABLE agent (
	id        INTEGER PRIMARY KEY,
	public    TEXT    NOT NULL UNIQUE,
	address   TEXT    UNIQUE,   -- lower-case; the wallet that signed in
	name      TEXT,
	created   INTEGER NOT NULL,
	confirmed INTEGER NOT NULL DEFAULT 0 -- reports that an independent list confirmed at least a day later
) STRICT;

-- API keys. The key itself is nowhere.
CREATE TABLE key (
	hash    BLOB    PRIMARY KEY, -- SHA-256
	prefix  TEXT    NOT NULL,
	agent   INTEGER NOT NULL REFERENCES agent,
	quota   INTEGER,             -- free calls a day; NULL follows the server
	created INTEGER NOT NULL,
	revoked INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX key_by_agent ON key (agent);

-- Calls of paid operations that an agent was answered.
CREATE TABLE usage (
	agent INTEGER NOT NULL REFERENCES agent,
	day   INTEGER NOT NULL, -- days since 1970 in UTC
	used  INTEGER NOT NULL,
	PRIMARY KEY (agent, day)
) STRICT, WITHOUT ROWID;

-- Reports, in the order in which they were recorded: seq and created agree.
CREATE TABLE report (
	seq        INTEGER PRIMARY KEY AUTOINCREMENT,
	id         TEXT    NOT NULL UNIQUE,
	created    INTEGER NOT NULL UNIQUE,
	published  INTEGER NOT NULL,     -- the source's own date
	list       INTEGER REFERENCES list, -- NULL: filed here
	list_key   TEXT,                 -- the row within the list
	agent      INTEGER REFERENCES agent,
	status     TEXT    NOT NULL,     -- published, hidden, withdrawn, gone
	crime_type TEXT    NOT NULL,
	body       TEXT    NOT NULL,     -- tocsin.Draft in JSON: what never changes
	manage     BLOB                  -- SHA-256 of the manage token
) STRICT;
CREATE INDEX report_by_crime ON report (crime_type, seq) WHERE status = 'published';
CREATE INDEX report_by_list  ON report (list, seq) WHERE status = 'published';
CREATE INDEX report_by_both  ON report (list, crime_type, seq) WHERE status = 'published';
CREATE INDEX report_by_agent ON report (agent, seq) WHERE agent IS NOT NULL;
CREATE UNIQUE INDEX report_by_key ON report (list, list_key) WHERE list_key IS NOT NULL AND status <> 'gone';

-- Which subjects the published reports name; a report that is hidden or
-- withdrawn has no rows here. The other columns repeat the report's own, so
-- that a score is read from this table alone.
CREATE TABLE report_subject (
	subject    INTEGER NOT NULL REFERENCES subject,
	report     INTEGER NOT NULL REFERENCES report,
	list       INTEGER,
	agent      INTEGER,
	crime_type TEXT    NOT NULL,
	published  INTEGER NOT NULL,
	PRIMARY KEY (subject, report)
) STRICT, WITHOUT ROWID;
CREATE INDEX report_subject_by_agent ON report_subject (agent, report, subject) WHERE agent IS NOT NULL;

-- Words of the published reports, by seq.
CREATE VIRTUAL TABLE report_words USING fts5 (
	title, description, project, subjects, handles,
	content = '', contentless_delete = 1, prefix = '3', tokenize = 'unicode61 remove_diacritics 2'
);
-- Merge segments of the index 16 at a time rather than 4: half the work for a filing.
INSERT INTO report_words (report_words, rank) VALUES ('automerge', 16), ('crisismerge', 64);

-- Every change of evidence, append-only. Caches, replicas and feeds follow it.
CREATE TABLE event (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	at      INTEGER NOT NULL,
	op      TEXT    NOT NULL, -- filed, hidden, restored, withdrawn, gone (a report); listed, delisted (a listing)
	report  INTEGER,
	subject INTEGER,
	list    INTEGER
) STRICT;

-- What was filed lately: a filing that comes twice is answered with the first.
CREATE TABLE filing (
	hash    BLOB    PRIMARY KEY, -- of the caller and the body, or of the caller and its Idempotency-Key
	body    BLOB    NOT NULL,    -- hash of the body
	report  INTEGER NOT NULL,
	at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX filing_by_age ON filing (at);
