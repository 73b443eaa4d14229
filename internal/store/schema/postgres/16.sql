-- Whom lists of sanctions name: they are found by their names.
CREATE INDEX listing_sanction ON listing (name, program, list) WHERE kind = 'sanction' AND withdrawn IS NULL;
