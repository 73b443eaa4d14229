package store

import (
	"fmt"
	"os"
	"path/filepath"
)

// spooled is how many bytes a spool keeps in memory.
const spooled = 16 << 20

// spool holds the stories of a list between reading and writing: in memory, and those of a large list in a file
// beside the database, which no other process can open and which is gone with this one.
type spool struct {
	dir    string
	memory []byte
	file   *os.File
	filed  int64 // bytes in the file
	failed error // why a part of the texts could not be kept
}

// add stores a text and returns where.
func (sp *spool) add(text []byte) (at int64, err error) {
	if sp.failed == nil && len(sp.memory)+len(text) > spooled && len(sp.memory) > 0 {
		if err := sp.write(); err != nil {
			sp.failed = fmt.Errorf("keep the stories of the list until all of it is read: %w", err)
		}
	}
	if sp.failed != nil {
		return 0, sp.failed
	}
	at = sp.filed + int64(len(sp.memory))
	sp.memory = append(sp.memory, text...)
	return at, nil
}

// write moves what is in memory to the file.
func (sp *spool) write() (err error) {
	if sp.file == nil {
		if sp.file, err = os.CreateTemp(sp.dir, "tocsin-import-*"); err != nil {
			return err
		}
		_ = os.Remove(sp.file.Name()) // where a file in use cannot be removed, close does it
	}
	n, err := sp.file.WriteAt(sp.memory, sp.filed)
	sp.filed += int64(n)
	sp.memory = sp.memory[:0]
	return err
}

// read returns a copy of the text of so many bytes that is stored there.
func (sp *spool) read(at int64, bytes int) ([]byte, error) {
	text := make([]byte, bytes)
	if at >= sp.filed {
		copy(text, sp.memory[at-sp.filed:])
		return text, nil
	}
	_, err := sp.file.ReadAt(text, at)
	return text, err
}

// close forgets everything.
func (sp *spool) close() {
	if sp.file != nil { // it holds nothing of worth: what fails here fails nobody
		_ = sp.file.Close()
		_ = os.Remove(sp.file.Name())
	}
	*sp = spool{failed: os.ErrClosed}
}

// spoolBeside returns a spool whose file is in the folder of a database file, where that is on its disk if the path is
// a symbolic link; of a database elsewhere, in the folder for temporary files.
func spoolBeside(database string) spool {
	if database == "" {
		return spool{dir: os.TempDir()}
	}
	if real, err := filepath.EvalSymlinks(database); err == nil {
		database = real
	}
	return spool{dir: filepath.Dir(database)}
}
