package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string
	text []byte
	mode int64
}

// tarred writes files into a new archive, below a folder. All of them are of one moment and of nobody.
func tarred(path, folder string, entries []entry, at time.Time) error {
	var out bytes.Buffer
	packed := gzip.NewWriter(&out) // without a name and a time
	archive := tar.NewWriter(packed)
	for _, e := range entries {
		head := &tar.Header{Name: folder + "/" + e.name, Mode: e.mode, Size: int64(len(e.text)), ModTime: at,
			Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(head); err != nil {
			return err
		}
		if _, err := archive.Write(e.text); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}

// zipped is tarred for a zip file.
func zipped(path, folder string, entries []entry, at time.Time) error {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, e := range entries {
		head := &zip.FileHeader{Name: folder + "/" + e.name, Method: zip.Deflate, Modified: at}
		head.SetMode(os.FileMode(e.mode))
		file, err := archive.CreateHeader(head)
		if err != nil {
			return err
		}
		if _, err := file.Write(e.text); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}
