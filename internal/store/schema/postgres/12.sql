-- What all processes have counted for the limits that they share: internal/limits, docs/decisions/0033.
CREATE TABLE used (
	budget text COLLATE "C" NOT NULL,
	key    bytea NOT NULL,            -- a hash under a secret of table meta
	slot   bigint NOT NULL,           -- a part of the period of the budget
	events bigint NOT NULL,
	ends   bigint NOT NULL,           -- when they do not matter any more
	change bigint NOT NULL,           -- ascends in the order of commits
	PRIMARY KEY (budget, key, slot)
);
CREATE INDEX used_change ON used (change);
CREATE INDEX used_ends ON used (ends);
CREATE SEQUENCE used_changes;
