// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"refsched/recorder/wire"
)

// wrote records what the scheduler wrote. A pod's status is not recorded; its deletion is
// what the API server did then: a victim is gone at once.
func (s *Session) wrote(w write) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.kind.is("Pod") {
		if w.verb == "delete" {
			key := keyOf(w.object)
			if s.filtering {
				s.deleted = append(s.deleted, key.Namespace+"/"+key.Name)
			}
			s.recordLocked(wire.Record{Delete: &wire.Reference{APIVersion: "v1", Kind: "Pod", Namespace: key.Namespace, Name: key.Name}})
		}
		return
	}
	s.recordLocked(wire.Record{Write: &wire.Write{Verb: w.verb, Object: writeObject(w.kind, w.object)}})
	s.volumes.saw(w)
}
