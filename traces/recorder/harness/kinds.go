// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is one that the scheduler, or a volume controller, has to do with.
type Kind struct {
	gvk        schema.GroupVersionKind
	gvr        schema.GroupVersionResource
	namespaced bool
	// otherwise are versions of the group in which drivers may send it, though this minor
	// version of Kubernetes serves it in another: the schema of what is sent is the same.
	otherwise []string
}

// NewKind is a kind of one minor version of Kubernetes.
func NewKind(group, version, name, resource string, namespaced bool, otherwise ...string) Kind {
	gv := schema.GroupVersion{Group: group, Version: version}
	return Kind{gvk: gv.WithKind(name), gvr: gv.WithResource(resource), namespaced: namespaced, otherwise: otherwise}
}

// kinds are those of the version.
type kinds []Kind

// ofType finds the kind that an object of this group, version and kind is stored as.
func (all kinds) ofType(gvk schema.GroupVersionKind) (Kind, bool) {
	return all.first(func(k Kind) bool {
		return k.gvk.GroupKind() == gvk.GroupKind() && (k.gvk.Version == gvk.Version || slices.Contains(k.otherwise, gvk.Version))
	})
}

func (all kinds) ofResource(gvr schema.GroupVersionResource) (Kind, bool) {
	return all.first(func(k Kind) bool { return k.gvr == gvr })
}

func (all kinds) first(fits func(Kind) bool) (Kind, bool) {
	for _, k := range all {
		if fits(k) {
			return k, true
		}
	}
	return Kind{}, false
}

func (k Kind) is(name string) bool { return k.gvk.Kind == name }

// concernsPreBind tells whether VolumeBinding or DynamicResources reads objects of this kind while it waits.
func (k Kind) concernsPreBind() bool {
	return slices.Contains([]string{"PersistentVolume", "PersistentVolumeClaim", "Pod", "Node", "CSINode", "ResourceClaim"}, k.gvk.Kind)
}
