// SPDX-License-Identifier: Apache-2.0

package harness

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"refsched/recorder/wire"
)

// Annotations of claims (k8s.io/component-helpers/storage/volume in later versions of Kubernetes).
const (
	selectedNode  = "volume.kubernetes.io/selected-node"
	bindCompleted = "pv.kubernetes.io/bind-completed"
)

// leftAlone is an annotation of volumes and claims that are not answered: what becomes of them, the inputs say.
const leftAlone = "refsched.dev/volume-controller"

// volumeController answers the scheduler as the volume controller of kube-controller-manager
// and a provisioner would: it binds the claim that the scheduler wrote into a volume, and
// makes a volume for a claim that the scheduler selected a node for.
type volumeController struct {
	session *Session
	todo    []write // guarded by the session's lock
}

// saw notes a write of the scheduler that may want an answer. The session is locked.
func (v *volumeController) saw(w write) {
	if w.kind.is("PersistentVolume") || w.kind.is("PersistentVolumeClaim") {
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

func isLeftAlone(object metav1.Object) bool {
	_, is := object.GetAnnotations()[leftAlone]
	return is
}

// bind completes what the scheduler began by writing a claimRef.
func (v *volumeController) bind(volume *v1.PersistentVolume) {
	ref := volume.Spec.ClaimRef
	if ref == nil || isLeftAlone(volume) {
		return
	}
	claim, ok := v.get("PersistentVolumeClaim", types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}).(*v1.PersistentVolumeClaim)
	if !ok || claim.UID != ref.UID || claim.Spec.VolumeName != "" {
		return
	}
	volume = volume.DeepCopy()
	volume.Status.Phase = v1.VolumeBound
	v.update("PersistentVolume", volume)
	v.complete(claim, volume.Name)
}

// provision makes the volume that a claim waits for, where the scheduler has selected a node.
func (v *volumeController) provision(claim *v1.PersistentVolumeClaim) {
	if isLeftAlone(claim) || claim.Annotations[selectedNode] == "" || claim.Spec.VolumeName != "" {
		return
	}
	class, ok := v.get("StorageClass", types.NamespacedName{Name: className(claim)}).(*storagev1.StorageClass)
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
	k := v.kind("PersistentVolume")
	if err := v.session.api.create(k, volume); err != nil {
		return // a volume of that name is there already: the claim goes on waiting
	}
	v.session.record(wire.Record{Create: writeObject(k, volume)})
	v.complete(claim, volume.Name)
}

// complete tells the claim that it is bound.
func (v *volumeController) complete(claim *v1.PersistentVolumeClaim, volume string) {
	claim = claim.DeepCopy()
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, bindCompleted, "yes")
	claim.Spec.VolumeName = volume
	claim.Status.Phase = v1.ClaimBound
	v.update("PersistentVolumeClaim", claim)
}

func (v *volumeController) update(name string, object runtime.Object) {
	k := v.kind(name)
	if err := v.session.api.update(k, object); err != nil {
		Fault("the volume controller cannot update a %s: %v", k.gvk.Kind, err)
	}
	v.session.record(wire.Record{Update: writeObject(k, object)})
}

func (v *volumeController) get(kind string, key types.NamespacedName) runtime.Object {
	return v.session.api.get(v.kind(kind), key)
}

func (v *volumeController) kind(name string) Kind {
	k, known := v.session.api.kinds.first(func(k Kind) bool { return k.is(name) })
	if !known {
		Fault("this version has no %s", name)
	}
	return k
}

// className is the class that a claim asks for, by annotation or by field.
func className(claim *v1.PersistentVolumeClaim) string {
	if name, annotated := claim.Annotations[v1.BetaStorageClassAnnotation]; annotated {
		return name
	}
	if claim.Spec.StorageClassName != nil {
		return *claim.Spec.StorageClassName
	}
	return ""
}

func keyOf(object runtime.Object) types.NamespacedName {
	_, key := identify(object)
	return key
}
