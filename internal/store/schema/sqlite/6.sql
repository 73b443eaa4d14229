-- The index holds the words of tocsin.Words, which no tokenizer of the database
-- splits or folds further: what a search means is decided in one place. Reports
-- are indexed again by the program, see reindex.
DROP TABLE report_words;
CREATE VIRTUAL TABLE report_words USING fts5 (
	title, description, project, subjects, handles,
	content = '', contentless_delete = 1, prefix = '3', tokenize = 'ascii'
);
-- Merge segments of the index 16 at a time rather than 4: half the work for a filing.
INSERT INTO report_words (report_words, rank) VALUES ('automerge', 16), ('crisismerge', 64);
