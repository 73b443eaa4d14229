package web

import (
	"bytes"
	"strings"

	"tocsin/internal/locale"
)

// endMark stands behind a text of a page that ends with full-width punctuation, until [dense] has taken it away. It is
// of the private use area, so that no text has it.
const endMark = "\ue000"

// ended marks the end of a text in a language with no space between sentences: templates have one there.
func ended[T ~string](p *locale.Printer, text T) T {
	if !p.Dense {
		return text
	}
	for _, end := range []string{"。", "！", "？", "：", "；", "，"} {
		if strings.HasSuffix(strings.TrimSuffix(string(text), "</strong>"), end) {
			return text + endMark
		}
	}
	return text
}

// dense takes away the space behind each text that was marked, also if the end of an inline element is between them.
// What people wrote stays as it is.
func dense(page []byte) (b bytes.Buffer) {
	for {
		before, rest, found := bytes.Cut(page, []byte(endMark))
		b.Write(before)
		if !found {
			return b
		}
		for _, tag := range []string{"</a>", "</strong>", "</b>", "</span>"} {
			if after, ok := bytes.CutPrefix(rest, []byte(tag)); ok {
				b.WriteString(tag)
				rest = after
			}
		}
		page = bytes.TrimLeft(rest, " ")
	}
}
