package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
)

func init() {
	add(suite{
		resource: "volumeattachments.storage.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "VolumeAttachment"},
		create:   volumeattachment.Strategy,
		updates:  map[string]update{"": volumeattachment.Strategy, "status": volumeattachment.StatusStrategy},
		count:    2600,
	}, `
metadata: {name: csi-1, uid: u1, resourceVersion: "5", labels: {a: b}, finalizers: [external-attacher/hostpath-csi-example-com]}
spec: {attacher: hostpath.csi.example.com, nodeName: node-a, source: {persistentVolumeName: pv-a}}
status: {attached: true, attachmentMetadata: {device: /dev/sda}, attachError: {time: "2026-01-01T00:00:00Z", message: m, errorCode: 8}, detachError: {time: "2026-01-01T00:00:00Z", message: m}}
---
metadata: {name: csi-2, uid: u1, resourceVersion: "5"}
spec: {attacher: ebs.csi.aws.com, nodeName: node-a, source: {inlineVolumeSpec: {accessModes: [ReadWriteOnce], csi: {driver: ebs.csi.aws.com, volumeHandle: vol-1, fsType: ext4, volumeAttributes: {partition: "0"}}, volumeMode: Filesystem}}}
status: {attached: false}
`)
}
