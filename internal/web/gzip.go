package web

import (
	"bytes"
	"compress/gzip"
)

// compressed returns a page in gzip, a heavy one as small as it gets.
func (s *Site) compressed(text bytes.Buffer, heavy bool) (packed bytes.Buffer) {
	if heavy {
		return *bytes.NewBuffer(pack(text.Bytes()))
	}
	z := s.gzips.Get().(*packer)
	z.to = &packed
	z.zip.Reset(z)
	z.zip.Write(text.Bytes()) // a buffer never fails
	z.zip.Close()
	z.to = nil // or the pool would keep the page
	s.gzips.Put(z)
	return packed
}

// packer compresses one page after the other.
type packer struct {
	zip *gzip.Writer
	to  *bytes.Buffer
}

// Write implements [io.Writer], for the compressor.
func (p *packer) Write(b []byte) (int, error) { return p.to.Write(b) }
