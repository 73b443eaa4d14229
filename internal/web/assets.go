package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed assets templates
var files embed.FS

// assets are the files that pages load. The name of each contains a hash of its content, so
// that browsers can cache it forever.
type assets struct {
	names map[string]string // paths, by name: tocsin.css
	files map[string]asset  // by name with the hash: tocsin.0a1b2c3d.css
}

type asset struct {
	media  string
	plain  []byte
	packed func() []byte // plain by gzip, made for the first visitor
}

// readAssets returns the embedded assets, which nobody changes: each is compressed once in a process.
var readAssets = sync.OnceValues(func() (assets, error) {
	a := assets{map[string]string{}, map[string]asset{}}
	entries, err := fs.ReadDir(files, "assets")
	if err != nil {
		return a, err
	}
	styles := func(e fs.DirEntry) bool { return path.Ext(e.Name()) == ".css" }
	// The stylesheet comes last: it names others.
	for _, e := range append(slices.DeleteFunc(slices.Clone(entries), styles), slices.DeleteFunc(entries,
		func(e fs.DirEntry) bool { return !styles(e) })...) {
		text, err := fs.ReadFile(files, "assets/"+e.Name())
		if err != nil {
			return a, err
		}
		if styles(e) {
			for name, at := range a.names {
				text = bytes.ReplaceAll(text, []byte("url("+name+")"), []byte("url("+at+")"))
			}
		}
		sum := sha256.Sum256(text)
		ext := path.Ext(e.Name())
		name := strings.TrimSuffix(e.Name(), ext) + "." + hex.EncodeToString(sum[:4]) + ext
		a.names[e.Name()] = "/assets/" + name
		media := mime.TypeByExtension(ext)
		if ext == ".woff2" {
			media = "font/woff2" // not every system knows it
		}
		a.files[name] = asset{media, text, sync.OnceValue(func() []byte { return pack(text) })}
	}
	return a, nil
})

// pack compresses a text as much as gzip can.
func pack(text []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // which is a level
	z.Write(text)                                         // into memory: it does not fail
	z.Close()
	return b.Bytes()
}

func (a assets) serve(w http.ResponseWriter, r *http.Request) {
	file, found := a.files[r.PathValue("name")]
	if !found {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", file.media)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	body := file.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body = file.packed()
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

// url returns the path of an asset.
func (a assets) url(name string) (string, error) {
	if at, found := a.names[name]; found {
		return at, nil
	}
	return "", fmt.Errorf("there is no asset %q", name)
}

// Lettered reports whether the page has the font of titles. Those that would weigh more than 40 KB with it have not:
// what is secret is not compressed, and the changelog and large tables are long.
func (l layout) Lettered() bool { return !l.Secret && !l.Heavy && l.Path != "/docs/changelog" }
