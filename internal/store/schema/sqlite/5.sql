-- Every change of evidence: one row for each subject whose answer may change by
-- it. Append-only, and written in the evidence lane: seq is the order of commits.
-- Memories, replicas and feeds follow it.
ALTER TABLE event RENAME TO old_event;
CREATE TABLE event (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	at      INTEGER NOT NULL,
	op      TEXT    NOT NULL, -- see Op in events.go
	subject INTEGER NOT NULL REFERENCES subject,
	report  INTEGER REFERENCES report, -- that was filed or changed
	list    INTEGER REFERENCES list,   -- whose listing, story or family it is
	agent   INTEGER REFERENCES agent,  -- that became proven or unproven, or was renamed
	chain   TEXT,                      -- of the listing, as its kind
	kind    TEXT,
	family  TEXT,                      -- of the list from now on
	was     TEXT                       -- the family before
) STRICT;
INSERT INTO event (at, op, subject, report, list)
SELECT at, op, subject, report, list FROM (
	SELECT e.seq, e.at, e.op, e.subject, NULL AS report, e.list FROM old_event e WHERE e.subject IS NOT NULL
	UNION ALL
	SELECT e.seq, e.at, e.op, s.id, e.report, r.list
	FROM old_event e JOIN report r ON r.seq = e.report
		JOIN json_each(r.body, '$.scammerAddresses') named
		JOIN subject s ON s.kind = 'evm' AND s.value = lower(named.value)
	UNION ALL
	SELECT e.seq, e.at, e.op, s.id, e.report, r.list
	FROM old_event e JOIN report r ON r.seq = e.report
		JOIN json_each(r.body, '$.reportedDomains') named
		JOIN subject s ON s.kind = 'domain' AND s.value = named.value
) ORDER BY seq, subject;
DROP TABLE old_event;

-- The stories of a list are counted when they are asked for: the number that was
-- kept here did not follow what the operator hid.
ALTER TABLE list DROP COLUMN reports;
