// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"refsched.dev/recorder/wire"
)

// wrote records what the scheduler wrote. A pod's status is not recorded; its deletion is
// what the API server did then: a victim is gone at once.
func (s *session) wrote(w write) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.kind == podKind {
		if w.verb == "delete" {
			key := keyOf(w.object)
			s.recordLocked(wire.Record{Delete: &wire.Reference{APIVersion: "v1", Kind: "Pod", Namespace: key.Namespace, Name: key.Name}})
		}
		return
	}
	s.recordLocked(wire.Record{Write: &wire.Write{Verb: w.verb, Object: writeObject(w.kind, w.object)}})
	s.volumes.saw(w)
}

// bindingExtender writes to the API what its extender said that it bound: an extender under
// test has no other API server to bind at.
type bindingExtender struct {
	framework.Extender
	api *apiServer
}

func (e *bindingExtender) Bind(binding *v1.Binding) error {
	if err := e.Extender.Bind(binding); err != nil {
		return err
	}
	return e.api.bindFor(binding)
}
