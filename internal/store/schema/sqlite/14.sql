-- When the entry of a list was found here, the last time that it came. NULL: it was written by an older version since.
ALTER TABLE listing ADD COLUMN recorded INTEGER;
UPDATE listing SET recorded = e.at FROM (
	SELECT subject, list, coalesce(chain, '') AS chain, kind, max(at) AS at FROM event
	WHERE op IN ('listed', 'relisted') GROUP BY subject, list, coalesce(chain, ''), kind
) e WHERE e.subject = listing.subject AND e.list = listing.list AND e.chain = listing.chain AND e.kind = listing.kind;
