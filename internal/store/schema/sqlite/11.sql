-- A story whose source gives no date has none: published is 0. Until now it was
-- given the moment of its recording.
INSERT INTO event (at, op, subject, report, list)
SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'dated', rs.subject, rs.report, rs.list
FROM report r JOIN report_subject rs ON rs.report = r.seq
WHERE r.list IS NOT NULL AND r.created - r.published BETWEEN 0 AND 1000000 ORDER BY rs.report, rs.subject;
UPDATE report SET published = 0 WHERE list IS NOT NULL AND created - published BETWEEN 0 AND 1000000;
UPDATE report_subject SET published = 0
WHERE list IS NOT NULL AND report IN (SELECT seq FROM report WHERE list IS NOT NULL AND published = 0);

-- Reports are listed by their dates. What was filed here is dated when it is
-- recorded: by itself it is listed in the order of seq.
CREATE INDEX report_by_date ON report (published) WHERE status = 'published';
CREATE INDEX report_by_crime_date ON report (crime_type, published) WHERE status = 'published';
CREATE INDEX report_by_list_date ON report (list, published) WHERE status = 'published' AND list IS NOT NULL;
CREATE INDEX report_by_both_date ON report (list, crime_type, published)
	WHERE status = 'published' AND list IS NOT NULL;
