-- Since when the operator has banned the agent; NULL for most. The reports that
-- were published then have the status 'banned' for as long.
ALTER TABLE agent ADD COLUMN banned INTEGER;

-- What the operator did: who, when and why. Append-only. It holds no text of
-- reports, so that nothing of an erased report is left here.
CREATE TABLE act (
	seq      INTEGER PRIMARY KEY AUTOINCREMENT,
	at       INTEGER NOT NULL,
	operator TEXT    NOT NULL,
	op       TEXT    NOT NULL, -- see Deed in acts.go
	reason   TEXT    NOT NULL  -- '' if none was given
) STRICT;

-- What an act was about: public ids of reports and agents, the beginning of a
-- key, the name of a list, or how filing is from then on.
CREATE TABLE act_object (
	act    INTEGER NOT NULL REFERENCES act,
	object TEXT    NOT NULL,
	PRIMARY KEY (act, object)
) STRICT, WITHOUT ROWID;
CREATE INDEX act_by_object ON act_object (object);

-- Which anonymous reports come from one network: its hash under the salt of a
-- day, and under that of the day before. A row is deleted with its salt.
CREATE TABLE origin (
	day    INTEGER NOT NULL, -- of the salt; days since 1970 in UTC
	name   BLOB    NOT NULL,
	report INTEGER NOT NULL REFERENCES report,
	PRIMARY KEY (day, name, report)
) STRICT, WITHOUT ROWID;
