-- A lease is told from earlier ones of the same claim by a random token instead
-- of the time at which it began.
ALTER TABLE claim RENAME COLUMN held_since TO lease_token;

-- How many calls the last statement that changed the row has granted. A charge
-- and its result are thereby one statement; nothing else reads it.
ALTER TABLE usage ADD COLUMN granted INTEGER NOT NULL DEFAULT 0;
