package feed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// Limits of what a list may hold, so that no file fills the memory: a few KiB of gzip can be millions of rows.
const (
	maxJSON   = 64 << 20  // bytes of a file that is decoded as one value; the largest has 20 MiB
	maxRows   = 1_000_000 // elements of an array or object that is decoded as one value
	maxFaulty = 1_000     // elements of another shape than those of the list, in one array or object
)

var (
	errTooMany   = fmt.Errorf("it has more than %d rows, which is more than any list has", maxRows)
	errNotOfList = fmt.Errorf("more than %d rows have another shape than those of this list", maxFaulty)
)

// fault is an element that could not be decoded.
type fault struct{ row, reason string }

// rows is a JSON array that passes over elements of another shape, so that they do not fail the file.
type rows[T any] struct {
	values []T
	faults []fault
}

// UnmarshalJSON implements json.Unmarshaler.
func (rs *rows[T]) UnmarshalJSON(text []byte) error {
	*rs = rows[T]{}
	return elements(json.NewDecoder(bytes.NewReader(text)), func(d *json.Decoder, i int) error {
		var v T
		faulty, err := decodeElement(d, &v)
		switch {
		case err != nil:
			return err
		case faulty != nil:
			rs.faults = append(rs.faults, fault{fmt.Sprintf("element %d", i), inWords(faulty)})
		default:
			rs.values = append(rs.values, v)
		}
		return bounded(i, len(rs.faults))
	})
}

// table is a JSON object as rows are an array.
type table[T any] struct {
	values map[string]T
	faults []fault
}

// UnmarshalJSON implements json.Unmarshaler.
func (tb *table[T]) UnmarshalJSON(text []byte) error {
	*tb = table[T]{values: map[string]T{}}
	d := json.NewDecoder(bytes.NewReader(text))
	switch begin, err := d.Token(); {
	case err != nil:
		return err
	case begin == nil:
		return nil
	case begin != json.Delim('{'):
		names := map[reflect.Kind]string{reflect.String: "string", reflect.Float64: "number", reflect.Bool: "bool"}
		return &json.UnmarshalTypeError{Value: cmp.Or(names[reflect.TypeOf(begin).Kind()], "array"),
			Type: reflect.TypeFor[map[string]T](), Offset: d.InputOffset()}
	}
	for i := 0; d.More(); i++ {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var v T
		faulty, err := decodeElement(d, &v)
		switch {
		case err != nil:
			return err
		case faulty != nil:
			tb.faults = append(tb.faults, fault{key.(string), inWords(faulty)}) // a key is a string
		default:
			tb.values[key.(string)] = v
		}
		if err := bounded(i, len(tb.faults)); err != nil {
			return err
		}
	}
	return nil
}

func bounded(rows, faulty int) error {
	switch {
	case rows >= maxRows:
		return errTooMany
	case faulty > maxFaulty:
		return errNotOfList
	}
	return nil
}

// decodeElement decodes one element. A wrong type is faulty, and the decoder goes on behind it.
func decodeElement(d *json.Decoder, v any) (faulty *json.UnmarshalTypeError, err error) {
	if err = d.Decode(v); errors.As(err, &faulty) {
		return faulty, nil
	}
	return nil, err
}

// elements calls each before every element of an array. It accepts null as an empty one.
func elements(d *json.Decoder, each func(d *json.Decoder, i int) error) error {
	switch begin, err := d.Token(); {
	case err != nil:
		return err
	case begin == nil:
		return nil
	case begin != json.Delim('['):
		return errors.New("it is not an array")
	}
	for i := 0; d.More(); i++ {
		if err := each(d, i); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// valid returns the elements that could be decoded, and refuses the others.
func valid[T any](r *reader, rs rows[T]) []T {
	for _, f := range rs.faults {
		r.refuse(r.file+", "+f.row, badRow, f.reason)
	}
	return rs.values
}

// decodeJSON decodes a file that consists of one JSON value.
func decodeJSON(body io.Reader, v any) error {
	limited := &io.LimitedReader{R: body, N: maxJSON + 1}
	d := json.NewDecoder(limited)
	err := d.Decode(v)
	if limited.N == 0 {
		return fmt.Errorf("the file has more than %d MiB", maxJSON>>20)
	}
	if err != nil {
		return notJSON(err)
	}
	return atEnd(d)
}

func notJSON(err error) error {
	if errors.As(err, new(*json.UnmarshalTypeError)) {
		return fmt.Errorf("the file is not the JSON of this list: %s", inWords(err))
	}
	return fmt.Errorf("the file is not the JSON of this list: %w", err)
}

// inWords says what is wrong with JSON of another shape, without the names of Go's types.
func inWords(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	got, _, _ := strings.Cut(wrong.Value, " ")         // "number 1.5", where a whole number is wanted
	field := strings.TrimPrefix(wrong.Field, "Draft.") // which fileReport embeds
	return fmt.Sprintf("%s is %s, not %s", cmp.Or(field, "it"), cmp.Or(valueWords[got], "something else"),
		wanted(wrong.Type))
}

// valueWords are words for the kinds of values in JSON.
var valueWords = map[string]string{
	"object": "an object", "array": "a list", "string": "a text", "number": "a number", "bool": "true or false",
}

// wanted says which value of JSON becomes a value of a type.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return valueWords["string"]
	case reflect.Bool:
		return valueWords["bool"]
	case reflect.Slice, reflect.Array:
		return valueWords["array"]
	case reflect.Struct, reflect.Map:
		return valueWords["object"]
	case reflect.Float32, reflect.Float64:
		return valueWords["number"]
	}
	return "a whole number in range"
}

func atEnd(d *json.Decoder) error {
	if _, err := d.Token(); err != io.EOF {
		return errors.New("the file has data after the end of its JSON")
	}
	return nil
}

// eachElement decodes a JSON array element by element.
func eachElement[T any](r *reader, body io.Reader, each func(T)) error {
	d := json.NewDecoder(body)
	faults := 0
	err := elements(d, func(d *json.Decoder, i int) error {
		var v T
		faulty, err := decodeElement(d, &v)
		switch {
		case err != nil:
			return err
		case faulty != nil:
			faults++
			r.refuse(fmt.Sprintf("%s, element %d", r.file, i), badRow, inWords(faulty))
			return bounded(0, faults)
		}
		each(v)
		return r.err
	})
	if r.err != nil {
		return r.err
	}
	if err != nil {
		return notJSON(err)
	}
	return atEnd(d)
}

// sorted returns the keys of the elements that could be decoded, and refuses the others.
func sorted[T any](r *reader, tb table[T]) []string {
	for _, f := range tb.faults {
		r.refuse(f.row, badRow, f.reason)
	}
	keys := make([]string, 0, len(tb.values))
	for key := range tb.values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
