package lookalike

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// A model's file is the magic, the length of the header and the header as JSON, the number of weights that are not
// zero, for each of them the distance from the one before as a varint and its value as a float32, and the SHA-256 of
// all that. Numbers of fixed length are little-endian.
const magic = "tocsin model 1\n"

// maxModel is the maximal length of a model's file, in bytes.
const maxModel = 32 << 20

// Errors of reading a model.
var (
	ErrNotModel   = errors.New("it is not a model, or it is damaged")
	ErrOtherModel = errors.New("the model was made by another version of the program; run tocsin train again")
)

// WriteTo writes the model. Equal models are equal files.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	header, err := json.Marshal(m.Info)
	if err != nil {
		return 0, err
	}
	out := append([]byte(magic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out[len(magic):], uint32(len(header)))
	out = append(out, header...)
	count := uint32(0)
	for _, v := range m.weights {
		if v != 0 {
			count++
		}
	}
	out = binary.LittleEndian.AppendUint32(out, count)
	last := 0
	for i, v := range m.weights {
		if v != 0 {
			out = binary.AppendUvarint(out, uint64(i-last))
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
			last = i
		}
	}
	sum := sha256.Sum256(out)
	n, err := w.Write(append(out, sum[:]...))
	return int64(n), err
}

// ReadModel reads what [Model.WriteTo] wrote.
func ReadModel(r io.Reader) (*Model, error) {
	all, err := io.ReadAll(io.LimitReader(r, maxModel+1))
	if err != nil {
		return nil, err
	}
	if len(all) > maxModel || len(all) < len(magic)+sha256.Size+8 || !bytes.HasPrefix(all, []byte(magic)) {
		return nil, ErrNotModel
	}
	body, sum := all[:len(all)-sha256.Size], all[len(all)-sha256.Size:]
	if want := sha256.Sum256(body); !bytes.Equal(sum, want[:]) {
		return nil, ErrNotModel
	}
	in := bytes.NewReader(body[len(magic):])
	var size, count uint32
	if err := binary.Read(in, binary.LittleEndian, &size); err != nil || int64(size) > int64(in.Len()) {
		return nil, ErrNotModel
	}
	header := make([]byte, size)
	m := &Model{weights: make([]float32, 1<<width+1)}
	if _, err := io.ReadFull(in, header); err != nil {
		return nil, ErrNotModel
	}
	if err := json.Unmarshal(header, &m.Info); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotModel, err)
	}
	if m.FeatureVersion != featureVersion {
		return nil, ErrOtherModel
	}
	if err := binary.Read(in, binary.LittleEndian, &count); err != nil {
		return nil, ErrNotModel
	}
	at := uint64(0)
	for range count {
		step, err := binary.ReadUvarint(in)
		var bits [4]byte
		if _, short := io.ReadFull(in, bits[:]); err != nil || short != nil || step > uint64(len(m.weights)) {
			return nil, ErrNotModel
		}
		if at += step; at >= uint64(len(m.weights)) {
			return nil, ErrNotModel
		}
		m.weights[at] = math.Float32frombits(binary.LittleEndian.Uint32(bits[:]))
	}
	m.parents = stringSet(m.Parents)
	return m, nil
}
