package front

import (
	"fmt"
	"io"
	"log/slog"
	"unicode/utf8"
)

// MaxLogged is how many bytes of a caller's text are logged at most. Characters that the log has to escape take up to
// four times as many there.
const MaxLogged = 256

// maxLoggedByKey bounds what this program writes itself, which may repeat some text of
// others.
var maxLoggedByKey = map[string]int{slog.MessageKey: 1 << 10, "error": 1 << 10, "stack": 16 << 10}

// NewLog returns a log of lines. Every value is clipped, so that no caller decides how large the log grows: to
// [MaxLogged] bytes, messages and errors to 1 KiB, stacks to 16 KiB.
func NewLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: clipAttr}))
}

func clipAttr(_ []string, a slog.Attr) slog.Attr {
	most, known := maxLoggedByKey[a.Key]
	if !known {
		most = MaxLogged
	}
	text := ""
	switch a.Value.Kind() {
	case slog.KindString:
		text = a.Value.String()
	case slog.KindAny:
		text = fmt.Sprint(a.Value.Any())
	}
	if len(text) > most {
		a.Value = slog.StringValue(clip(text, most))
	}
	return a
}

// clip returns a text if it has at most n bytes, and otherwise its start and an ellipsis.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	end := n
	for end > n-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
