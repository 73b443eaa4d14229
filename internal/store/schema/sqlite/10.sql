-- Which anonymous reports come from one network: its hash under the salt of the
-- day, and under that of the day before as long as that salt is kept. One row for
-- each report, in their order, so that a filing pays little for it.
DROP TABLE origin;
CREATE TABLE origin (
	report  INTEGER PRIMARY KEY REFERENCES report,
	day     INTEGER NOT NULL, -- of the first salt; days since 1970 in UTC
	name    BLOB    NOT NULL,
	earlier BLOB
) STRICT;
