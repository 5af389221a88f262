// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	volumehelpers "k8s.io/component-helpers/storage/volume"

	"refsched.dev/recorder/wire"
)

var (
	podKind    = mustKind("Pod")
	volumeKind = mustKind("PersistentVolume")
	claimKind  = mustKind("PersistentVolumeClaim")
	classKind  = mustKind("StorageClass")
)

func mustKind(name string) kind {
	for _, k := range kinds {
		if k.gvk.Kind == name {
			return k
		}
	}
	panic("no kind " + name)
}

// volumeController answers the scheduler as the volume controller of kube-controller-manager
// and a provisioner would: it binds the claim that the scheduler wrote into a volume, and
// makes a volume for a claim that the scheduler selected a node for.
type volumeController struct {
	session *session
	todo    []write // guarded by the session's lock
}

// saw notes a write of the scheduler that may want an answer. The session is locked.
func (v *volumeController) saw(w write) {
	if w.kind == volumeKind || w.kind == claimKind {
		v.todo = append(v.todo, w)
	}
}

// answer sees to the oldest write.
func (v *volumeController) answer() bool {
	s := v.session
	s.mu.Lock()
	if len(v.todo) == 0 {
		s.mu.Unlock()
		return false
	}
	w := v.todo[0]
	v.todo = v.todo[1:]
	s.mu.Unlock()

	switch object := s.api.get(w.kind, keyOf(w.object)).(type) {
	case *v1.PersistentVolume:
		v.bind(object)
	case *v1.PersistentVolumeClaim:
		v.provision(object)
	}
	return true
}

// bind completes what the scheduler began by writing a claimRef.
func (v *volumeController) bind(volume *v1.PersistentVolume) {
	ref := volume.Spec.ClaimRef
	if ref == nil {
		return
	}
	claim, ok := v.session.api.get(claimKind, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}).(*v1.PersistentVolumeClaim)
	if !ok || claim.UID != ref.UID || claim.Spec.VolumeName != "" {
		return
	}
	volume = volume.DeepCopy()
	volume.Status.Phase = v1.VolumeBound
	v.update(volumeKind, volume)
	v.complete(claim, volume.Name)
}

// provision makes the volume that a claim waits for, where the scheduler has selected a node.
func (v *volumeController) provision(claim *v1.PersistentVolumeClaim) {
	if claim.Annotations[volumehelpers.AnnSelectedNode] == "" || claim.Spec.VolumeName != "" {
		return
	}
	class, ok := v.session.api.get(classKind, types.NamespacedName{Name: volumehelpers.GetPersistentVolumeClaimClass(claim)}).(*storagev1.StorageClass)
	if !ok {
		return
	}
	name := claim.Name
	if claim.Namespace != metav1.NamespaceDefault {
		name = claim.Namespace + "-" + claim.Name
	}
	volume := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + name, UID: types.UID("uid-pvc-" + name)},
		Spec: v1.PersistentVolumeSpec{
			Capacity:    v1.ResourceList{v1.ResourceStorage: claim.Spec.Resources.Requests[v1.ResourceStorage]},
			AccessModes: claim.Spec.AccessModes,
			PersistentVolumeSource: v1.PersistentVolumeSource{
				CSI: &v1.CSIPersistentVolumeSource{Driver: class.Provisioner, VolumeHandle: "h-" + name},
			},
			ClaimRef: &v1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			StorageClassName: class.Name,
		},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumeBound},
	}
	if err := v.session.api.create(volumeKind, volume); err != nil {
		return // a volume of that name is there already: the claim goes on waiting
	}
	v.session.record(wire.Record{Create: writeObject(volumeKind, volume)})
	v.complete(claim, volume.Name)
}

// complete tells the claim that it is bound.
func (v *volumeController) complete(claim *v1.PersistentVolumeClaim, volume string) {
	claim = claim.DeepCopy()
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volumehelpers.AnnBindCompleted, "yes")
	claim.Spec.VolumeName = volume
	claim.Status.Phase = v1.ClaimBound
	v.update(claimKind, claim)
}

func (v *volumeController) update(k kind, object runtime.Object) {
	if err := v.session.api.update(k, object); err != nil {
		fault("the volume controller cannot update a %s: %v", k.gvk.Kind, err)
	}
	v.session.record(wire.Record{Update: writeObject(k, object)})
}

func keyOf(object runtime.Object) types.NamespacedName {
	_, key := identify(object)
	return key
}
