// Writes the results of upstream's translation library for in-tree volumes: the driver, the handle and the access modes
// of persistent volumes, and the whole specification of volumes in pods.
// Usage: vectors-csi-translation > csi-translation.json
package main

import (
	"encoding/json"
	"os"

	v1 "k8s.io/api/core/v1"
	csitrans "k8s.io/csi-translation-lib"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"
)

var sources = map[string][]string{
	"awsElasticBlockStore": {
		"{volumeID: vol-1}", "{volumeID: 'aws://us-east-1a/vol-2', fsType: ext4, partition: 3, readOnly: true}",
		"{volumeID: 'aws:///vol-3/'}", "{volumeID: 'aws://zone/disk-4'}", "{volumeID: 'aws://vol-5'}",
	},
	"gcePersistentDisk": {
		"{pdName: disk}", "{pdName: disk, fsType: xfs, partition: 2, readOnly: true}",
	},
	"azureDisk": {
		"{diskName: d, diskURI: /subscriptions/s/d, kind: Managed, cachingMode: ReadOnly, fsType: ext4, readOnly: true}",
		"{diskName: d, diskURI: 'https://x/vhds/d.vhd', kind: Dedicated}", "{diskName: d, diskURI: /d, kind: managed}", "{diskName: d, diskURI: /d}",
	},
	"azureFile": {
		"{secretName: azure-storage-account-acc-secret, shareName: share, readOnly: true}", "{secretName: own, shareName: share}",
	},
	"cinder": {
		"{volumeID: c-1}", "{volumeID: c-2, fsType: ext4, readOnly: true}",
	},
	"vsphereVolume": {
		"{volumePath: '[ds] kubevols/v.vmdk', fsType: ext4}",
	},
	"portworxVolume": {
		"{volumeID: px-1, fsType: ext4}", "{volumeID: px-2, readOnly: true}",
	},
}

var metadata = []string{
	"{name: pv}",
	"{name: pv, labels: {topology.kubernetes.io/zone: us-central1-a}}",
	"{name: pv, labels: {failure-domain.beta.kubernetes.io/zone: us-central1-a__us-central1-b, topology.kubernetes.io/zone: other}}",
	"{name: pv, labels: {topology.kubernetes.io/zone: us-central1-a__us-east1-b}}",
	"{name: pv, labels: {topology.kubernetes.io/zone: somewhere__else}}",
	"{name: pv, annotations: {kubernetes.io/azure-file-resource-group: rg, openstorage.io/auth-secret-name: s, openstorage.io/auth-secret-namespace: team}}",
}

var rest = []string{
	"{accessModes: [ReadWriteOnce], claimRef: {namespace: team-a, name: c}}",
	"{accessModes: [ReadWriteMany]}", "{accessModes: [ReadOnlyMany]}", "{accessModes: [ReadWriteOnce, ReadOnlyMany]}",
	"{accessModes: [ReadWriteOncePod]}", "{accessModes: [ReadWriteOncePod, ReadOnlyMany]}", "{}",
}

type vector struct {
	Volume           json.RawMessage `json:"volume,omitempty"`
	PersistentVolume json.RawMessage `json:"persistentVolume,omitempty"`
	Namespace        string          `json:"namespace,omitempty"`
	Name             string          `json:"name,omitempty"`
	Spec             any             `json:"spec,omitempty"`
	Failed           bool            `json:"failed,omitempty"`
}

func parse(text string) map[string]any {
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		panic(err)
	}
	return out
}

func into(object map[string]any, typed any) json.RawMessage {
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(raw, typed); err != nil {
		panic(err)
	}
	return raw
}

func main() {
	translator := csitrans.New()
	logger := klog.Background()
	var vectors []vector
	for _, source := range []string{"awsElasticBlockStore", "gcePersistentDisk", "azureDisk", "azureFile", "cinder", "vsphereVolume", "portworxVolume"} {
		for _, text := range sources[source] {
			for _, namespace := range []string{"", "team-a"} {
				volume := &v1.Volume{}
				raw := into(map[string]any{"name": "data", source: parse(text)}, volume)
				pv, err := translator.TranslateInTreeInlineVolumeToCSI(logger, volume, namespace)
				if err != nil {
					vectors = append(vectors, vector{Volume: raw, Namespace: namespace, Failed: true})
				} else {
					vectors = append(vectors, vector{Volume: raw, Namespace: namespace, Name: pv.Name, Spec: pv.Spec})
				}
			}
			for _, meta := range metadata {
				for _, more := range rest {
					spec := parse(more)
					spec[source] = parse(text)
					volume := &v1.PersistentVolume{}
					raw := into(map[string]any{"metadata": parse(meta), "spec": spec}, volume)
					pv, err := translator.TranslateInTreePVToCSI(logger, volume)
					if err != nil {
						vectors = append(vectors, vector{PersistentVolume: raw, Failed: true})
						continue
					}
					pv.Spec.NodeAffinity = nil
					vectors = append(vectors, vector{PersistentVolume: raw, Name: pv.Name, Spec: pv.Spec})
				}
			}
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	for i, v := range vectors {
		prefix := ",\n"
		if i == 0 {
			prefix = "[\n"
		}
		os.Stdout.WriteString(prefix)
		if err := encoder.Encode(v); err != nil {
			panic(err)
		}
	}
	os.Stdout.WriteString("]\n")
}
