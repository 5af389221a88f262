// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/features"

	// Each registers its group's types and their defaulting functions.
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"

	"refsched.dev/recorder/wire"
)

// readObject decodes what a driver sent and does to it what an API server does
// before it stores an object: defaulting, and the part of a pod's strategy that
// changes what the scheduler reads. Admission (priority classes, and the like)
// is the driver's.
func readObject(data []byte) (kind, runtime.Object, error) {
	object, gvk, err := legacyscheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	if runtime.IsNotRegisteredError(err) {
		return kind{}, nil, wire.Unsupported{Why: err.Error()}
	}
	if err != nil {
		return kind{}, nil, err
	}
	k, known := kindOf(*gvk)
	if !known {
		return kind{}, nil, wire.Unsupported{Why: fmt.Sprintf("the scheduler does not watch %s", gvk)}
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return kind{}, nil, err
	}
	if accessor.GetName() == "" {
		return kind{}, nil, fmt.Errorf("%s: metadata.name is missing", k.gvk.Kind)
	}
	switch {
	case !k.namespaced:
		accessor.SetNamespace("")
	case accessor.GetNamespace() == "":
		accessor.SetNamespace(metav1.NamespaceDefault)
	}
	legacyscheme.Scheme.Default(object)
	if pod, ok := object.(*v1.Pod); ok {
		if _, err := readScript(pod); err != nil {
			return kind{}, nil, err
		}
	}
	// A typed client's objects carry no apiVersion and kind.
	object.GetObjectKind().SetGroupVersionKind(runtimeNoKind)
	return k, object, nil
}

// foldLabelKeys merges matchLabelKeys and mismatchLabelKeys into the selectors that
// they qualify, with the values of the pod's own labels. Source:
// pkg/registry/core/pod/strategy.go, mutatePodAffinity and mutateTopologySpreadConstraints.
// The API server does so once, when a pod is created: what a driver updates it with is taken as it is.
func foldLabelKeys(pod *v1.Pod) {
	if affinity := pod.Spec.Affinity; affinity != nil {
		var terms []*v1.PodAffinityTerm
		if near := affinity.PodAffinity; near != nil {
			terms = append(terms, podAffinityTerms(near.RequiredDuringSchedulingIgnoredDuringExecution, near.PreferredDuringSchedulingIgnoredDuringExecution)...)
		}
		if far := affinity.PodAntiAffinity; far != nil {
			terms = append(terms, podAffinityTerms(far.RequiredDuringSchedulingIgnoredDuringExecution, far.PreferredDuringSchedulingIgnoredDuringExecution)...)
		}
		for _, term := range terms {
			fold(term.LabelSelector, term.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
			fold(term.LabelSelector, term.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, pod.Labels)
		}
	}
	if !utilfeature.DefaultFeatureGate.Enabled(features.MatchLabelKeysInPodTopologySpread) ||
		!utilfeature.DefaultFeatureGate.Enabled(features.MatchLabelKeysInPodTopologySpreadSelectorMerge) {
		return
	}
	for i := range pod.Spec.TopologySpreadConstraints {
		constraint := &pod.Spec.TopologySpreadConstraints[i]
		fold(constraint.LabelSelector, constraint.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
	}
}

func podAffinityTerms(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm) []*v1.PodAffinityTerm {
	var terms []*v1.PodAffinityTerm
	for i := range required {
		terms = append(terms, &required[i])
	}
	for i := range preferred {
		terms = append(terms, &preferred[i].PodAffinityTerm)
	}
	return terms
}

// fold adds one requirement a key. A selector that is absent matches nothing, and stays absent.
func fold(selector *metav1.LabelSelector, keys []string, operator metav1.LabelSelectorOperator, labels map[string]string) {
	if selector == nil {
		return
	}
	for _, key := range keys {
		value, has := labels[key]
		if !has || folded(selector, key, operator, value) {
			continue
		}
		selector.MatchExpressions = append(selector.MatchExpressions,
			metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: []string{value}})
	}
}

func folded(selector *metav1.LabelSelector, key string, operator metav1.LabelSelectorOperator, value string) bool {
	for _, have := range selector.MatchExpressions {
		if have.Key == key && have.Operator == operator && len(have.Values) == 1 && have.Values[0] == value {
			return true
		}
	}
	return false
}

// writeObject encodes an object as a trace has it: with apiVersion and kind, without
// what only this run of an API server means.
func writeObject(k kind, object runtime.Object) json.RawMessage {
	object = object.DeepCopyObject()
	object.GetObjectKind().SetGroupVersionKind(k.gvk)
	accessor, err := meta.Accessor(object)
	if err != nil {
		fault("%s has no metadata: %v", k.gvk, err)
	}
	accessor.SetResourceVersion("")
	accessor.SetManagedFields(nil)
	data, err := json.Marshal(object)
	if err != nil {
		fault("%s %s does not encode: %v", k.gvk, accessor.GetName(), err)
	}
	return data
}
