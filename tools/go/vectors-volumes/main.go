//go:build overlay

// Writes which volumes upstream's controller may give to claims, and why volumes that claims name do not match. Claims
// and volumes are texts of fields, which the test reads in the same way:
//
//	volume: size|modes|class|class annotation|attributes class|volume mode|phase|claim|deleted|label "tier"
//	claim:  size|modes|class|class annotation|attributes class|volume mode|selector|delayed
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steersman/tools/upstream/pkg/controller/volume/persistentvolume"
)

const (
	sets = 3000
	// Where upstream's choice depends on map order, this many attempts show all choices.
	tries = 80
)

var random = rand.New(rand.NewSource(1))

var modes = map[rune]v1.PersistentVolumeAccessMode{
	'o': v1.ReadWriteOnce, 'r': v1.ReadOnlyMany, 'x': v1.ReadWriteMany, 'p': v1.ReadWriteOncePod,
}

var phases = map[string]v1.PersistentVolumePhase{
	"A": v1.VolumeAvailable, "B": v1.VolumeBound, "R": v1.VolumeReleased, "P": v1.VolumePending,
}

func one(choices ...string) string { return choices[random.Intn(len(choices))] }

// Mostly the first one.
func mostly(first string, others ...string) string {
	if random.Intn(4) > 0 {
		return first
	}
	return one(others...)
}

func volumeText() string {
	size := one("1Gi", "1Gi", "2Gi", "5Gi", "10Gi", "1.5Gi", "2G")
	return strings.Join([]string{size, one("o", "o", "or", "orx", "rx", "x", "p", "op"), mostly("a", "b", ""),
		mostly("-", "a", "b"), mostly("", "gold"), mostly("", "b", "f"), mostly("A", "B", "R", "P"),
		mostly("", "n", "u", "o", "d"), mostly("", "d"), one("", "fast", "slow")}, "|")
}

func claimText() string {
	size := one("1Gi", "1Gi", "2Gi", "5Gi", "1500M", "1", "2147483649")
	return strings.Join([]string{size, one("o", "o", "r", "x", "or", "p"), mostly("a", "b", "", "-"), mostly("-", "a", "b"),
		mostly("", "gold"), mostly("", "b", "f"), mostly("", "f", "n", "e"), mostly("", "d")}, "|")
}

func modesOf(text string) (list []v1.PersistentVolumeAccessMode) {
	for _, letter := range text {
		list = append(list, modes[letter])
	}
	return list
}

func annotated(meta *metav1.ObjectMeta, class string) {
	if class != "-" {
		meta.Annotations = map[string]string{v1.BetaStorageClassAnnotation: class}
	}
}

func modeOf(text string) *v1.PersistentVolumeMode {
	mode := map[string]v1.PersistentVolumeMode{"b": v1.PersistentVolumeBlock, "f": v1.PersistentVolumeFilesystem}[text]
	if mode == "" {
		return nil
	}
	return &mode
}

func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func volumeOf(name, text string) *v1.PersistentVolume {
	part := strings.Split(text, "|")
	volume := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}}
	volume.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: resource.MustParse(part[0])}
	volume.Spec.AccessModes = modesOf(part[1])
	volume.Spec.StorageClassName = part[2]
	annotated(&volume.ObjectMeta, part[3])
	volume.Spec.VolumeAttributesClassName = orNil(part[4])
	volume.Spec.VolumeMode = modeOf(part[5])
	volume.Status.Phase = phases[part[6]]
	switch part[7] {
	case "n":
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: "ns", Name: "data"}
	case "u":
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: "ns", Name: "data", UID: "uid-data"}
	case "o":
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: "ns", Name: "data", UID: "uid-old"}
	case "d":
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: "other", Name: "data"}
	}
	if part[8] != "" {
		now := metav1.NewTime(time.Unix(1, 0))
		volume.DeletionTimestamp = &now
	}
	if part[9] != "" {
		volume.Labels = map[string]string{"tier": part[9]}
	}
	return volume
}

func claimOf(text string) (claim *v1.PersistentVolumeClaim, delayed bool) {
	part := strings.Split(text, "|")
	claim = &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "data", UID: "uid-data"}}
	claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse(part[0])}
	claim.Spec.AccessModes = modesOf(part[1])
	if part[2] != "-" {
		claim.Spec.StorageClassName = &part[2]
	}
	annotated(&claim.ObjectMeta, part[3])
	claim.Spec.VolumeAttributesClassName = orNil(part[4])
	claim.Spec.VolumeMode = modeOf(part[5])
	switch part[6] {
	case "f":
		claim.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "fast"}}
	case "n":
		claim.Spec.Selector = expression(metav1.LabelSelectorOpNotIn, "slow")
	case "e":
		claim.Spec.Selector = expression(metav1.LabelSelectorOpExists)
	}
	return claim, part[7] != ""
}

func expression(operator metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
	requirement := metav1.LabelSelectorRequirement{Key: "tier", Operator: operator, Values: values}
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{requirement}}
}

// The claim, the volumes, and the names of the volumes that it may get.
func matches() (rows [][]any) {
	for range sets {
		claimed := claimText()
		claim, delayed := claimOf(claimed)
		texts, volumes := []string{}, []*v1.PersistentVolume{}
		for i := range 2 + random.Intn(7) {
			texts = append(texts, volumeText())
			volumes = append(volumes, volumeOf(fmt.Sprintf("v%d", i), texts[i]))
		}
		names := []string{}
		for range tries {
			if best := persistentvolume.NewIndex(volumes).Best(claim, delayed); best != nil && !slices.Contains(names, best.Name) {
				names = append(names, best.Name)
			}
		}
		slices.Sort(names)
		rows = append(rows, []any{claimed, texts, strings.Join(names, " ")})
	}
	return rows
}

func suitability() (rows [][]any) {
	for range 400 {
		claimed, text := claimText(), volumeText()
		claim, _ := claimOf(claimed)
		rows = append(rows, []any{claimed, text, persistentvolume.Unsuitable(volumeOf("v0", text), claim)})
	}
	return rows
}

func main() {
	output, err := json.Marshal(map[string]any{"matches": matches(), "suitability": suitability()})
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stdout, string(output))
}
