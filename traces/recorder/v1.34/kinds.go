// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kind is one that the scheduler, or a volume controller, has to do with.
type kind struct {
	gvk        schema.GroupVersionKind
	gvr        schema.GroupVersionResource
	namespaced bool
}

// kinds are what scheduler.New and the in-tree plugins list and watch
// (pkg/scheduler/eventhandlers.go, addAllEventHandlers; the listers of
// VolumeBinding, PodTopologySpread, DefaultPreemption and DynamicResources).
var kinds = []kind{
	newKind("", "v1", "Pod", "pods", true),
	newKind("", "v1", "Node", "nodes", false),
	newKind("", "v1", "Namespace", "namespaces", false),
	newKind("", "v1", "PersistentVolume", "persistentvolumes", false),
	newKind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true),
	newKind("", "v1", "Service", "services", true),
	newKind("", "v1", "ReplicationController", "replicationcontrollers", true),
	newKind("apps", "v1", "ReplicaSet", "replicasets", true),
	newKind("apps", "v1", "StatefulSet", "statefulsets", true),
	newKind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", true),
	newKind("storage.k8s.io", "v1", "StorageClass", "storageclasses", false),
	newKind("storage.k8s.io", "v1", "CSINode", "csinodes", false),
	newKind("storage.k8s.io", "v1", "CSIDriver", "csidrivers", false),
	newKind("storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities", true),
	newKind("storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", false),
	newKind("resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", true),
	newKind("resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", true),
	newKind("resource.k8s.io", "v1", "ResourceSlice", "resourceslices", false),
	newKind("resource.k8s.io", "v1", "DeviceClass", "deviceclasses", false),
	newKind("resource.k8s.io", "v1alpha3", "DeviceTaintRule", "devicetaintrules", false),
}

func newKind(group, version, name, resource string, namespaced bool) kind {
	gv := schema.GroupVersion{Group: group, Version: version}
	return kind{gvk: gv.WithKind(name), gvr: gv.WithResource(resource), namespaced: namespaced}
}

func kindOf(gvk schema.GroupVersionKind) (kind, bool) {
	for _, k := range kinds {
		if k.gvk == gvk {
			return k, true
		}
	}
	return kind{}, false
}

func kindOfResource(gvr schema.GroupVersionResource) (kind, bool) {
	for _, k := range kinds {
		if k.gvr == gvr {
			return k, true
		}
	}
	return kind{}, false
}
