-- Whom lists of sanctions name: they are found by their names.
CREATE INDEX listing_sanction ON listing (name, program, list) WHERE kind = 'sanction' AND withdrawn IS NULL;
-- The report in whose place another was filed is found by that.
CREATE INDEX report_corrected ON report (corrected_by) WHERE corrected_by IS NOT NULL;
-- A safelist has no page about a site. The address of the site itself is none: other lists may warn of it.
UPDATE listing SET url = '' WHERE kind IN ('safe', 'shared')
	AND url = (SELECT 'https://' || value FROM subject WHERE subject.id = listing.subject);
-- When an import first found an entry that has left its list and come back. NULL: it has not, or that is not known.
ALTER TABLE listing ADD COLUMN recorded_first INTEGER;
UPDATE listing SET recorded_first = e.at FROM (
	SELECT subject, list, coalesce(chain, '') AS chain, kind, min(CASE WHEN op = 'listed' THEN at END) AS at FROM event
	WHERE op IN ('listed', 'relisted') GROUP BY subject, list, coalesce(chain, ''), kind HAVING count(*) > 1
) e WHERE e.subject = listing.subject AND e.list = listing.list AND e.chain = listing.chain AND e.kind = listing.kind;
-- When entries left their lists and came back, of a subject.
CREATE INDEX event_listing ON event (subject) WHERE op IN ('delisted', 'list_removed', 'relisted');
-- Other names of whom the list names, each on a line.
ALTER TABLE listing ADD COLUMN aliases TEXT NOT NULL DEFAULT '';
-- When reports about a subject left the public, or their lists.
CREATE INDEX event_left ON event (subject) WHERE op IN ('hidden', 'withdrawn', 'banned', 'gone', 'returned');
-- Which version of a list an import read that changed what it names. The date is that of the list, NULL if it has none.
-- newer is the date of the version before, if that was newer; NULL otherwise. files are its files with their SHA-256 as
-- JSON or, where the operator removed the list, those of the version that was removed; NULL if they are not known.
CREATE TABLE list_version (
	list  INTEGER NOT NULL REFERENCES list,
	at    INTEGER NOT NULL, -- when the import began to write
	date  INTEGER,
	newer INTEGER,
	files TEXT,
	PRIMARY KEY (list, at)
) STRICT, WITHOUT ROWID;
