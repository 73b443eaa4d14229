-- When a report left the public, for who follows a link to it.
CREATE INDEX event_leaving ON event (report) WHERE op IN ('hidden', 'withdrawn', 'banned');
