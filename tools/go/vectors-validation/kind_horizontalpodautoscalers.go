package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
)

func init() {
	add(suite{
		resource: "horizontalpodautoscalers.autoscaling",
		gvk:      schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"},
		create:   horizontalpodautoscaler.Strategy,
		updates:  map[string]update{"": horizontalpodautoscaler.Strategy, "status": horizontalpodautoscaler.StatusStrategy},
		count:    3000,
	}, `
metadata: {name: hpa, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 10
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}
  - {type: ContainerResource, containerResource: {name: memory, container: main, target: {type: AverageValue, averageValue: 100Mi}}}
  - {type: Pods, pods: {metric: {name: qps, selector: {matchLabels: {a: b}}}, target: {type: AverageValue, averageValue: "10"}}}
  - {type: Object, object: {describedObject: {apiVersion: v1, kind: Service, name: web}, metric: {name: hits}, target: {type: Value, value: 1k}}}
  - {type: External, external: {metric: {name: queue}, target: {type: AverageValue, averageValue: 500m}}}
  behavior:
    scaleUp: {stabilizationWindowSeconds: 30, selectPolicy: Min, tolerance: 50m, policies: [{type: Pods, value: 4, periodSeconds: 60}]}
    scaleDown: {stabilizationWindowSeconds: 300, selectPolicy: Disabled, policies: [{type: Percent, value: 10, periodSeconds: 1800}]}
status: {currentReplicas: 2, desiredReplicas: 3, currentMetrics: [{type: Resource, resource: {name: cpu, current: {averageUtilization: 20, averageValue: 30m}}}], conditions: [{type: AbleToScale, status: "True", reason: Ready, message: m}]}
---
metadata: {name: hpa2, namespace: team-a, uid: u1, resourceVersion: "5"}
spec:
  scaleTargetRef: {kind: ReplicationController, name: web}
  minReplicas: 1
  maxReplicas: 1
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]
`)
}
