package main

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
)

func init() {
	persistentvolume.NowFunc = func() metav1.Time { return metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) }
	add(suite{
		resource: "persistentvolumes",
		gvk:      schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolume"},
		create:   persistentvolume.Strategy,
		updates:  map[string]update{"": persistentvolume.Strategy, "status": persistentvolume.StatusStrategy},
		count:    3000,
	}, `
metadata: {name: a, uid: u1, resourceVersion: "5", labels: {a: b}}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce, ReadOnlyMany]
  persistentVolumeReclaimPolicy: Delete
  storageClassName: gold
  volumeMode: Filesystem
  volumeAttributesClassName: fast
  mountOptions: [ro]
  claimRef: {namespace: ns, name: data, uid: u2}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: failure-domain.beta.kubernetes.io/zone, operator: In, values: [a]}]}]}}
  csi: {driver: csi.example.com, volumeHandle: h, controllerPublishSecretRef: {name: s, namespace: ns}, nodePublishSecretRef: {name: s, namespace: ns}}
status: {phase: Bound, lastPhaseTransitionTime: "2026-01-01T00:00:00Z"}
---
metadata: {name: b, uid: u1, resourceVersion: "5", annotations: {volume.beta.kubernetes.io/mount-options: ro}}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteMany]
  persistentVolumeReclaimPolicy: Recycle
  volumeMode: Filesystem
  nfs: {server: nfs.example.com, path: /data}
status: {phase: Available}
---
metadata: {name: c, uid: u1, resourceVersion: "5"}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOncePod]
  persistentVolumeReclaimPolicy: Retain
  volumeMode: Block
  local: {path: /dev/x}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node]}]}]}}
status: {phase: Released, message: m, reason: r}
---
metadata: {name: d, uid: u1, resourceVersion: "5"}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Recycle
  volumeMode: Filesystem
  hostPath: {path: /, type: Directory}
  iscsi: {targetPortal: p, iqn: "iqn.2015-02.example.com:test", lun: 3, initiatorName: "iqn.2015-02.example.com:init", chapAuthSession: true, secretRef: {name: s}}
---
metadata: {name: e, uid: u1, resourceVersion: "5"}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  volumeMode: Filesystem
  iscsi: {targetPortal: p, iqn: "eui.0123456789abcdef", lun: 3, initiatorName: "naa.x", chapAuthSession: true}
---
metadata: {name: f, uid: u1, resourceVersion: "5"}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  volumeMode: Filesystem
  cinder: {volumeID: v, secretRef: {name: s}}
  azureFile: {secretName: s, shareName: s, secretNamespace: ""}
  flexVolume: {driver: d, options: {kubernetes.io/x: z}}
  storageos: {volumeName: V}
  glusterfs: {endpoints: e, path: p, endpointsNamespace: ""}
`)
}
