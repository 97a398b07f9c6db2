package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
)

func init() {
	add(suite{
		resource: "persistentvolumeclaims",
		gvk:      schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolumeClaim"},
		create:   persistentvolumeclaim.Strategy,
		updates:  map[string]update{"": persistentvolumeclaim.Strategy, "status": persistentvolumeclaim.StatusStrategy},
		count:    3000,
	}, `
metadata: {name: a, namespace: ns, uid: u1, resourceVersion: "5", labels: {a: b}}
spec:
  accessModes: [ReadWriteOnce, ReadOnlyMany]
  selector: {matchLabels: {a: b}, matchExpressions: [{key: c, operator: In, values: [d]}]}
  resources: {requests: {storage: 3Gi}, limits: {storage: 5Gi}}
  volumeName: v
  storageClassName: gold
  volumeMode: Filesystem
  volumeAttributesClassName: fast
  dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: s}
  dataSourceRef: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: s}
status:
  phase: Bound
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  allocatedResources: {storage: 3Gi}
  allocatedResourceStatuses: {storage: NodeResizePending}
  currentVolumeAttributesClassName: fast
  conditions: [{type: Resizing, status: "True"}]
---
metadata: {name: b, namespace: ns, uid: u1, resourceVersion: "5", annotations: {volume.beta.kubernetes.io/storage-class: gold}}
spec:
  accessModes: [ReadWriteOncePod]
  resources: {requests: {storage: 1Gi}}
  volumeMode: Block
  dataSourceRef: {kind: PersistentVolumeClaim, name: other, namespace: elsewhere}
status: {phase: Pending}
---
metadata: {name: c, namespace: ns, uid: u1, resourceVersion: "5"}
spec:
  accessModes: [ReadWriteMany]
  resources: {requests: {storage: 1500m}}
  volumeMode: Filesystem
  dataSource: {kind: Odd, name: x}
status: {phase: Pending}
`)
}
