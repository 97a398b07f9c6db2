package main

import (
	"math/rand"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
)

// randomMeta has at most one key per map: upstream's order over several is random.
func randomMeta(r *rand.Rand) metav1.ObjectMeta {
	name := func() string {
		return pick(r, []string{"", "web", "web", "we.b", "Web", "a/b", ".", "..", "50%", "web-", strings.Repeat("a", 254), "-"})
	}
	m := metav1.ObjectMeta{Name: name(), ResourceVersion: pick(r, []string{"", "1", "2"}), Generation: int64(r.Intn(5) - 1)}
	sometimes := func(n int) bool { return r.Intn(n) == 0 }
	if sometimes(3) {
		m.GenerateName = name()
	}
	if !sometimes(4) {
		m.Namespace = pick(r, []string{"default", "default", "a.b", "Bad", strings.Repeat("n", 64)})
	}
	if sometimes(3) {
		m.Labels = map[string]string{pick(r, []string{"app", "a/b/c", "-x", "example.com/ok", "UP/x"}): pick(r, []string{"v", "bad value", "", strings.Repeat("v", 64)})}
	}
	if sometimes(3) {
		m.Annotations = map[string]string{pick(r, []string{"note", "Example.com/Note", "a b", "x/"}): pick(r, []string{"v", strings.Repeat("é", 4), "any thing"})}
	}
	for n := r.Intn(3); n > 0 && sometimes(2); n-- {
		yes := r.Intn(2) == 0
		m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{APIVersion: pick(r, []string{"v1", "apps/v1", "", "apps/", "v1"}), Kind: pick(r, []string{"Pod", "Event", ""}), Name: pick(r, []string{"o", ""}), UID: types.UID(pick(r, []string{"u", ""})), Controller: &yes})
	}
	for n := r.Intn(3); n > 0; n-- {
		m.Finalizers = append(m.Finalizers, pick(r, []string{"orphan", "foregroundDeletion", "kubernetes", "example.com/f", "bare", "a b", "x/y/z"}))
	}
	for n := r.Intn(2); n > 0; n-- {
		m.ManagedFields = append(m.ManagedFields, metav1.ManagedFieldsEntry{Manager: pick(r, []string{"kubectl", strings.Repeat("m", 129), "tab\there", "é\u200b"}), Operation: metav1.ManagedFieldsOperationType(pick(r, []string{"Apply", "Update", "", "Other"})), FieldsType: pick(r, []string{"FieldsV1", "", "FieldsV2"}), Subresource: pick(r, []string{"", "status", strings.Repeat("s", 257)})})
	}
	at := func() metav1.Time { return metav1.NewTime(time.Unix(int64(1_700_000_000+r.Intn(2)), 0).UTC()) }
	if sometimes(2) {
		m.CreationTimestamp = at()
	}
	if sometimes(3) {
		deleted, grace := at(), int64(r.Intn(2)*30)
		m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &deleted, &grace
	}
	m.UID = types.UID(pick(r, []string{"u1", "u1", "u2", ""}))
	return m
}

func errorTexts(errs field.ErrorList) []string {
	texts := []string{}
	for _, e := range errs {
		texts = append(texts, e.Error())
	}
	return texts
}

func objectMetaVectors() []section {
	r := newRand(8)
	var create, update []row
	root := field.NewPath("metadata")
	for i := 0; i < 100; i++ {
		m := randomMeta(r)
		namespaced := r.Intn(3) > 0
		create = append(create, row{prune(m), namespaced, errorTexts(validation.ValidateObjectMeta(&m, namespaced, path.ValidatePathSegmentName, root)),
			errorTexts(corevalidation.ValidateObjectMeta(&m, namespaced, validation.NameIsDNSSubdomain, root))})
	}
	big := metav1.ObjectMeta{Name: "a", Namespace: "b", Annotations: map[string]string{"k": strings.Repeat("v", 256*1024)}}
	create = append(create, row{map[string]any{"name": "a", "namespace": "b", "annotations": "BIG"}, true, errorTexts(validation.ValidateObjectMeta(&big, true, path.ValidatePathSegmentName, root)), nil})
	for i := 0; i < 100; i++ {
		a, b := randomMeta(r), randomMeta(r)
		if r.Intn(2) == 0 {
			b.Name, b.Namespace, b.UID = a.Name, a.Namespace, a.UID
		}
		// Core kinds have the same errors and additional ones about finalizers: only those are written.
		generic := errorTexts(validation.ValidateObjectMetaUpdate(&a, &b, root))
		update = append(update, row{prune(a), prune(b), generic, errorTexts(corevalidation.ValidateObjectMetaUpdate(&a, &b, root))[len(generic):]})
	}
	return []section{{"create", create}, {"update", update}, {"names", kindNames()}}
}
