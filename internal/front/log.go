package front

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// maxLogged is how many bytes of a caller's text are logged at most. Characters that the log has to escape take up to
// four times as many there.
const maxLogged = 256

// maxLoggedByKey bounds what this program writes itself, which may repeat some text of
// others.
var maxLoggedByKey = map[string]int{slog.MessageKey: 1 << 10, "error": 1 << 10, "stack": 16 << 10}

// NewLog returns a log of lines. Every value is clipped, so that no caller decides how large the log grows: to
// 256 bytes, messages and errors to 1 KiB, stacks to 16 KiB.
func NewLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: clipAttr}))
}

func clipAttr(_ []string, a slog.Attr) slog.Attr {
	text := ""
	switch a.Value.Kind() {
	case slog.KindString:
		text = a.Value.String()
	case slog.KindAny:
		if _, ok := a.Value.Any().(slog.Level); ok { // each line has one
			return a
		}
		text = fmt.Sprint(a.Value.Any())
	}
	most, known := maxLoggedByKey[a.Key]
	if !known {
		most = maxLogged
	}
	if len(text) > most {
		a.Value = slog.StringValue(strings.ToValidUTF8(text[:most], "") + "…") // without half a character
	}
	return a
}
