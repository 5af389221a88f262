// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"encoding/json"
	"fmt"
	"reflect"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"refsched/recorder/wire"
)

// readObject decodes what a driver sent and does to it what an API server does
// before it stores an object: defaulting, and the part of a pod's strategy that
// changes what the scheduler reads. Admission (priority classes, and the like)
// is the driver's.
func (s *Session) readObject(data []byte) (Kind, runtime.Object, error) {
	data, err := s.api.kinds.translate(data)
	if err != nil {
		return Kind{}, nil, err
	}
	object, gvk, err := s.version.Decoder.Decode(data, nil, nil)
	if runtime.IsNotRegisteredError(err) {
		return Kind{}, nil, wire.Unsupported{Why: err.Error()}
	}
	if err != nil {
		return Kind{}, nil, err
	}
	k, known := s.api.kinds.ofType(*gvk)
	if !known {
		return Kind{}, nil, wire.Unsupported{Why: fmt.Sprintf("the scheduler does not watch %s", gvk)}
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return Kind{}, nil, err
	}
	if accessor.GetName() == "" {
		return Kind{}, nil, fmt.Errorf("%s: metadata.name is missing", k.gvk.Kind)
	}
	switch {
	case !k.namespaced:
		accessor.SetNamespace("")
	case accessor.GetNamespace() == "":
		accessor.SetNamespace(metav1.NamespaceDefault)
	}
	s.version.Default(object)
	if pod, ok := object.(*v1.Pod); ok {
		if _, err := s.version.readScript(pod); err != nil {
			return Kind{}, nil, err
		}
	}
	if object, err = stored(object); err != nil {
		return Kind{}, nil, err
	}
	// A typed client's objects carry no apiVersion and kind.
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return k, object, nil
}

// writeObject encodes an object as a trace has it: with apiVersion and kind, without
// what only this run of an API server means.
func writeObject(k Kind, object runtime.Object) json.RawMessage {
	object = object.DeepCopyObject()
	object.GetObjectKind().SetGroupVersionKind(k.gvk)
	accessor, err := meta.Accessor(object)
	if err != nil {
		Fault("%s has no metadata: %v", k.gvk, err)
	}
	accessor.SetResourceVersion("")
	accessor.SetManagedFields(nil)
	data, err := json.Marshal(object)
	if err != nil {
		Fault("%s %s does not encode: %v", k.gvk, accessor.GetName(), err)
	}
	return data
}

// translate names the version in which an object is served here, where a driver sends it in another.
func (all kinds) translate(data []byte) ([]byte, error) {
	var sent struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := json.Unmarshal(data, &sent); err != nil {
		return nil, err
	}
	k, known := all.ofType(schema.FromAPIVersionAndKind(sent.APIVersion, sent.Kind))
	if !known || k.gvk.GroupVersion().String() == sent.APIVersion {
		return data, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, err
	}
	members["apiVersion"], _ = json.Marshal(k.gvk.GroupVersion().String())
	return json.Marshal(members)
}

// stored is the object as it comes back from a store: what is empty is absent. Otherwise the
// scheduler's own status patch, which goes through JSON, would look like a change of the rest.
func stored(object runtime.Object) (runtime.Object, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	fresh := reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
	return fresh, json.Unmarshal(data, fresh)
}
