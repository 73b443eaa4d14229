-- Whom lists of sanctions name: they are found by their names.
CREATE INDEX listing_sanction ON listing (name, program, list) WHERE kind = 'sanction' AND withdrawn IS NULL;
-- The report in whose place another was filed is found by that.
CREATE INDEX report_corrected ON report (corrected_by) WHERE corrected_by IS NOT NULL;
-- A safelist has no page about a site. The address of the site itself is none: other lists may warn of it.
UPDATE listing SET url = '' WHERE kind IN ('safe', 'shared')
	AND url = (SELECT 'https://' || value FROM subject WHERE subject.id = listing.subject);
