//go:build overlay

// Overlaid on upstream's package (tools/go/README.md): exports the functions that the vectors need.
package persistentvolume

import v1 "k8s.io/api/core/v1"

// Index holds volumes like the controller's index.
type Index struct{ index persistentVolumeOrderedIndex }

// NewIndex returns an index of these volumes.
func NewIndex(volumes []*v1.PersistentVolume) Index {
	index := newPersistentVolumeOrderedIndex()
	for _, volume := range volumes {
		if err := index.store.Add(volume); err != nil {
			panic(err)
		}
	}
	return Index{index}
}

// Best returns the volume that the claim gets.
func (i Index) Best(claim *v1.PersistentVolumeClaim, delayed bool) *v1.PersistentVolume {
	volume, err := i.index.findBestMatchForClaim(claim, delayed)
	if err != nil {
		panic(err)
	}
	return volume
}

// Unsuitable returns why a free volume that the claim names does not match it.
func Unsuitable(volume *v1.PersistentVolume, claim *v1.PersistentVolumeClaim) string {
	if err := checkVolumeSatisfyClaim(volume, claim); err != nil {
		return err.Error()
	}
	return ""
}
