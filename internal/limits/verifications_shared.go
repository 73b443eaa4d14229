package limits

import (
	"slices"
	"time"
)

func (v *Verifications) share(secret []byte) { v.untold.begin(secret) }

func (v *Verifications) tell(pass func(Count)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for key := range v.untold.keys {
		settled := true
		if s := v.networks[key]; s != nil {
			for _, r := range s.slots {
				if r.untold == 0 {
					continue
				}
				settled = false
				pass(Count{Key: string(key[:]), Slot: r.slot, Events: r.untold,
					Ends: time.Unix(0, (r.slot+1)*int64(refusalSlot)).Add(refusalPeriod)})
			}
		}
		if settled {
			delete(v.untold.keys, key)
		}
	}
}

func (v *Verifications) told(c Count) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.networks[Key([]byte(c.Key))]; s != nil {
		for i := range s.slots {
			if s.slots[i].slot == c.Slot {
				s.slots[i].untold -= c.Events
			}
		}
	}
}

// learn takes the payments refused by all processes in a slot. Those that were not known are refused now.
func (v *Verifications) learn(c Count) {
	if v.limit <= 0 || len(c.Key) != len(Key{}) || c.Slot < v.oldest() {
		return
	}
	v.change(Key([]byte(c.Key)), func(s *standing) {
		r := v.slot(s, c.Slot)
		for range min(c.Events+r.untold-r.events, int64(v.limit)) {
			v.refuse(s)
		}
		r.events = c.Events + r.untold
	})
}

// slot returns a slot of a network, and drops those that do not matter any more.
func (v *Verifications) slot(s *standing, slot int64) *refusals {
	at := slices.IndexFunc(s.slots, func(r refusals) bool { return r.slot == slot })
	if at < 0 {
		oldest := v.oldest()
		s.slots = slices.DeleteFunc(s.slots, func(r refusals) bool { return r.slot < oldest })
		s.slots = append(s.slots, refusals{slot: slot})
		at = len(s.slots) - 1
	}
	return &s.slots[at]
}

// oldest is the first slot of which refused payments may matter.
func (v *Verifications) oldest() int64 {
	return (v.now().UnixNano() - int64(refusalPeriod)) / int64(refusalSlot)
}
