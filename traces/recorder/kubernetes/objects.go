// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"

	"refsched/recorder/minor"
)

// created does to a pod what its creation does, and what Kubernetes' defaulting functions leave to it.
func created(pod *v1.Pod) {
	foldLabelKeys(pod)
	minor.Created(pod)
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
