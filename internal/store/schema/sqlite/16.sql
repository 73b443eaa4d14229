-- Whom lists of sanctions name: they are found by their names.
CREATE INDEX listing_sanction ON listing (name, program, list) WHERE kind = 'sanction' AND withdrawn IS NULL;
-- The report in whose place another was filed is found by that.
CREATE INDEX report_corrected ON report (corrected_by) WHERE corrected_by IS NOT NULL;
