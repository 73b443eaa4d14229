package readmodel

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// chunkSize is how many bytes of records a chunk holds. It is a power of two: a place is a chunk and an offset in it.
const (
	chunkBits = 15
	chunkSize = 1 << chunkBits
)

// table holds records by key, in memory without pointers, which costs the garbage collector nothing: an index with
// open addressing over chunks of bytes.
//
// A record is its length (a varint), its key with a length of its own, and its value. An entry of the index is the hash
// of the key in the upper half and the place of the record, plus one, in the lower half; 0 is free. Two keys with one
// hash are told apart by the keys.
type table struct {
	index   []uint64 // as many as a power of two
	used    int      // entries of the index
	chunks  [][]byte
	filled  int // bytes of the chunks
	garbage int // those that no entry leads to
}

// bytes is how much memory the table takes.
func (t *table) bytes() int {
	n := 8*len(t.index) + 24*cap(t.chunks)
	for _, c := range t.chunks {
		n += cap(c)
	}
	return n
}

// at returns the key and the value of the record at a place, and how long the record is.
func (t *table) at(place uint32) (key, value []byte, size int) {
	b := t.chunks[place>>chunkBits][place&(chunkSize-1):]
	length, head := binary.Uvarint(b)
	size = head + int(length)
	keyLength, n := binary.Uvarint(b[head:])
	end := head + n + int(keyLength)
	return b[head+n : end : end], b[end:size:size], size
}

// find returns the slot of a key in the index, or where it would be.
func (t *table) find(hash uint32, key []byte) (slot int, found bool) {
	mask := len(t.index) - 1
	for slot = int(hash) & mask; t.index[slot] != 0; slot = (slot + 1) & mask {
		if e := t.index[slot]; uint32(e>>32) == hash {
			if k, _, _ := t.at(uint32(e) - 1); bytes.Equal(k, key) {
				return slot, true
			}
		}
	}
	return slot, false
}

// get returns the value of a key, which is only valid until the table changes; nil if there is no such key.
func (t *table) get(hash uint32, key []byte) []byte {
	if t.used == 0 {
		return nil
	}
	slot, found := t.find(hash, key)
	if !found {
		return nil
	}
	_, value, _ := t.at(uint32(t.index[slot]) - 1)
	return value
}

// withHash returns the keys and values whose hashes have these lower bits, of tableBits. No index has more slots.
func (t *table) withHash(low uint32) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		if t.used == 0 {
			return
		}
		mask := len(t.index) - 1
		for slot := int(low) & mask; t.index[slot] != 0; slot = (slot + 1) & mask {
			e := t.index[slot]
			if uint32(e>>32)&(1<<tableBits-1) != low {
				continue
			}
			if key, value, _ := t.at(uint32(e) - 1); !yield(key, value) {
				return
			}
		}
	}
}

// put sets the value of a key. Both together must fit a chunk.
func (t *table) put(hash uint32, key, value []byte) {
	if 4*(t.used+1) > 3*len(t.index) {
		t.grow()
	}
	slot, found := t.find(hash, key)
	if found {
		_, old, size := t.at(uint32(t.index[slot]) - 1)
		if len(old) == len(value) {
			copy(old, value)
			return
		}
		t.garbage += size
	} else {
		t.used++
	}
	t.index[slot] = uint64(hash)<<32 | uint64(t.add(key, value)+1)
	t.compact()
}

// delete removes a key, if it is there.
func (t *table) delete(hash uint32, key []byte) {
	if t.used == 0 {
		return
	}
	slot, found := t.find(hash, key)
	if !found {
		return
	}
	_, _, size := t.at(uint32(t.index[slot]) - 1)
	t.garbage += size
	t.used--
	// Entries behind the gap move up, unless they would then be before the slot where they are looked for first.
	mask := len(t.index) - 1
	for next := (slot + 1) & mask; t.index[next] != 0; next = (next + 1) & mask {
		first := int(t.index[next]>>32) & mask
		if (next-first)&mask >= (next-slot)&mask {
			t.index[slot] = t.index[next]
			slot = next
		}
	}
	t.index[slot] = 0
	t.compact()
}

func (t *table) grow() {
	old := t.index
	t.index = make([]uint64, max(8, 2*len(old)))
	mask := len(t.index) - 1
	for _, e := range old {
		if e != 0 {
			slot := int(e>>32) & mask
			for t.index[slot] != 0 {
				slot = (slot + 1) & mask
			}
			t.index[slot] = e
		}
	}
}

// add appends a record and returns its place.
func (t *table) add(key, value []byte) uint32 {
	var head [2 * binary.MaxVarintLen32]byte
	keyLength := binary.PutUvarint(head[binary.MaxVarintLen32:], uint64(len(key)))
	length := keyLength + len(key) + len(value)
	n := binary.PutUvarint(head[:], uint64(length))
	last := len(t.chunks) - 1
	if last < 0 || len(t.chunks[last])+n+length > chunkSize {
		t.chunks = append(t.chunks, nil)
		last++
	}
	c := t.chunks[last]
	if need := len(c) + n + length; need > cap(c) {
		// A chunk grows as it is filled: a table of few records must not take a whole one.
		grown := make([]byte, len(c), min(chunkSize, max(need, 2*cap(c), 256)))
		copy(grown, c)
		c = grown
	}
	place := uint32(last<<chunkBits | len(c))
	c = append(c, head[:n]...)
	c = append(c, head[binary.MaxVarintLen32:binary.MaxVarintLen32+keyLength]...)
	t.chunks[last] = append(append(c, key...), value...)
	t.filled += n + length
	return place
}

// compact writes the records anew when a third of them is garbage.
func (t *table) compact() {
	if t.garbage < 1024 || 3*t.garbage < t.filled {
		return
	}
	old := *t
	t.chunks, t.filled, t.garbage = nil, 0, 0
	for slot, e := range t.index {
		if e != 0 {
			key, value, _ := old.at(uint32(e) - 1)
			t.index[slot] = e>>32<<32 | uint64(t.add(key, value)+1)
		}
	}
}
