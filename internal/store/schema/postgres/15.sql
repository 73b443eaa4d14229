-- Which reports about a subject were hidden, for its owner.
CREATE INDEX event_hidden ON event (subject) WHERE op IN ('hidden', 'banned');
-- The id of the report that its reporter has filed in the place of a withdrawn one; NULL for none.
ALTER TABLE report ADD COLUMN corrected_by text COLLATE "C";
