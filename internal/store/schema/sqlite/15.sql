-- Which reports about a subject were hidden, for its owner.
CREATE INDEX event_hidden ON event (subject) WHERE op IN ('hidden', 'banned');
