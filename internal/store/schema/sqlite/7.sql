-- What keys have named, for good: a report that is withdrawn or hidden leaves its
-- row here. Of the anonymous (agent 0) only names below a registered domain are
-- kept, so that nobody earns proof by naming that domain after them.
CREATE TABLE named (
	agent      INTEGER NOT NULL,
	subject    INTEGER NOT NULL REFERENCES subject,
	first      INTEGER NOT NULL,
	last       INTEGER NOT NULL,
	owner      TEXT,             -- of a name below a registered domain: that domain
	counts     INTEGER NOT NULL, -- 1: a list that names it later confirms the agent
	hidden     INTEGER NOT NULL DEFAULT 0, -- reports of the agent about it that the operator hid
	PRIMARY KEY (agent, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX named_by_owner ON named (owner) WHERE owner IS NOT NULL;

-- Agents that are proven, by kind of subject.
CREATE TABLE standing (
	agent     INTEGER NOT NULL REFERENCES agent,
	kind      TEXT    NOT NULL,
	until     INTEGER NOT NULL,
	confirmed INTEGER NOT NULL, -- subjects in the record
	missed    INTEGER NOT NULL,
	PRIMARY KEY (agent, kind)
) STRICT, WITHOUT ROWID;

-- Proof by one report is over. The next import finds out who is proven now.
INSERT INTO event (at, op, subject, agent)
SELECT DISTINCT CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'unproven', rs.subject, rs.agent
FROM agent a JOIN report_subject rs ON rs.agent = a.id WHERE a.confirmed > 0;
ALTER TABLE agent DROP COLUMN confirmed;

-- A byte that is equal for two agents of the same network: see network.go.
ALTER TABLE agent ADD COLUMN network INTEGER;

-- When the list was last imported without the entry, which has no date of its own.
ALTER TABLE listing ADD COLUMN unseen INTEGER;
