package main

// Valid objects for the mutations, as YAML. Several of one kind are separated by "---".
var bases = map[string]string{
	"pods": `
metadata: {name: web-0, namespace: team-a, labels: {app: web, tier: front}, annotations: {note: x, controller.kubernetes.io/pod-deletion-cost: "7"}}
spec:
  containers:
  - name: main
    image: nginx:1.27
    command: [run]
    args: [a, b]
    workingDir: /srv
    ports: [{name: http, containerPort: 80, protocol: TCP}, {containerPort: 443, hostPort: 8443, hostIP: 10.0.0.1}]
    env:
    - {name: A, value: "1"}
    - {name: B, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: C, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}
    - {name: D, valueFrom: {configMapKeyRef: {name: cm, key: k}}}
    - {name: E, valueFrom: {secretKeyRef: {name: sec, key: k, optional: true}}}
    - {name: F, valueFrom: {fieldRef: {fieldPath: "metadata.labels['app']"}}}
    envFrom: [{prefix: P_, configMapRef: {name: cm}}, {secretRef: {name: sec}}]
    resources: {limits: {cpu: "1", memory: 1Gi, nvidia.com/gpu: "1"}, requests: {cpu: 500m, memory: 512Mi, nvidia.com/gpu: "1"}}
    livenessProbe: {httpGet: {path: /, port: 80, scheme: HTTP, httpHeaders: [{name: X-A, value: b}]}, initialDelaySeconds: 1}
    readinessProbe: {tcpSocket: {port: http}, periodSeconds: 5}
    startupProbe: {exec: {command: [ls]}}
    lifecycle: {postStart: {exec: {command: [ls]}}, preStop: {sleep: {seconds: 5}}}
    terminationMessagePolicy: FallbackToLogsOnError
    volumeMounts: [{name: data, mountPath: /data, subPath: a/b}, {name: cfg, mountPath: /cfg, readOnly: true, recursiveReadOnly: IfPossible}]
  volumes:
  - {name: data, emptyDir: {sizeLimit: 1Gi}}
  - {name: cfg, configMap: {name: cm, defaultMode: 420, items: [{key: k, path: p/q, mode: 256}]}}
  nodeSelector: {disk: ssd}
  serviceAccountName: robot
  imagePullSecrets: [{name: pull}]
  hostname: web
  subdomain: svc
  priorityClassName: high
  priority: 10
  preemptionPolicy: Never
  activeDeadlineSeconds: 600
  runtimeClassName: fast
  readinessGates: [{conditionType: example.com/ready}]
  hostAliases: [{ip: 10.1.2.3, hostnames: [a.example, b.example]}]
---
metadata: {name: vols, namespace: team-a}
spec:
  serviceAccountName: robot
  containers:
  - name: c
    image: busybox
    volumeMounts:
    - {name: hp, mountPath: /hp, mountPropagation: HostToContainer}
    - {name: sec, mountPath: /sec}
    - {name: proj, mountPath: /proj}
    volumeDevices: [{name: blk, devicePath: /dev/blk}]
  volumes:
  - {name: hp, hostPath: {path: /var/x, type: Directory}}
  - {name: sec, secret: {secretName: s, items: [{key: a, path: b}]}}
  - {name: blk, persistentVolumeClaim: {claimName: pvc}}
  - {name: dapi, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}, {path: cpu, resourceFieldRef: {containerName: c, resource: requests.memory, divisor: 1Mi}}]}}
  - name: proj
    projected:
      sources:
      - {serviceAccountToken: {path: token, expirationSeconds: 3607, audience: x}}
      - {configMap: {name: ca, items: [{key: ca.crt, path: ca.crt}]}}
      - {secret: {name: s2, items: [{key: k, path: s/k}]}}
      - {downwardAPI: {items: [{path: ns, fieldRef: {fieldPath: metadata.namespace}}]}}
  - {name: nfs, nfs: {server: h, path: /x}}
  - {name: git, gitRepo: {repository: "https://x", directory: a}}
  - {name: gce, gcePersistentDisk: {pdName: d, partition: 1}}
  - {name: aws, awsElasticBlockStore: {volumeID: v, partition: 2}}
  - {name: iscsi, iscsi: {targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:storage", lun: 3, initiatorName: "iqn.2001-04.com.example:x"}}
  - {name: gl, glusterfs: {endpoints: e, path: p}}
  - {name: rbd, rbd: {monitors: [m], image: i}}
  - {name: cin, cinder: {volumeID: v, secretRef: {name: s}}}
  - {name: ceph, cephfs: {monitors: [m]}}
  - {name: flo, flocker: {datasetName: nn}}
  - {name: fc, fc: {targetWWNs: [w], lun: 2}}
  - {name: flex, flexVolume: {driver: a/b, options: {o: p}}}
  - {name: azf, azureFile: {secretName: s, shareName: sh}}
  - {name: vs, vsphereVolume: {volumePath: p}}
  - {name: quo, quobyte: {registry: "h:1,i:2", volume: v}}
  - {name: azd, azureDisk: {diskName: d, diskURI: "https://x/y.vhd"}}
  - {name: px, portworxVolume: {volumeID: v}}
  - {name: sio, scaleIO: {gateway: g, system: s, volumeName: v, secretRef: {name: x}}}
  - {name: sos, storageos: {volumeName: v, volumeNamespace: nn, secretRef: {name: x}}}
  - {name: csi, csi: {driver: d.example.com, nodePublishSecretRef: {name: s}}}
  - {name: img, image: {reference: r.example.com/a:b, pullPolicy: Always}}
  - {name: eph, ephemeral: {volumeClaimTemplate: {metadata: {labels: {a: b}}, spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}, dataSource: {kind: PersistentVolumeClaim, name: src}, dataSourceRef: {kind: PersistentVolumeClaim, name: src}, selector: {matchLabels: {a: b}}}}}}
---
metadata: {name: placed, namespace: team-b, labels: {app: web}}
spec:
  containers: [{name: c, image: busybox}]
  tolerations:
  - {key: a, operator: Equal, value: b, effect: NoSchedule}
  - {operator: Exists, effect: NoExecute, tolerationSeconds: 30}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: z, operator: In, values: [a]}, {key: nn, operator: Gt, values: ["3"]}, {key: e, operator: Exists}], matchFields: [{key: metadata.name, operator: In, values: [node-1]}]}]}
      preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, preference: {matchExpressions: [{key: q, operator: NotIn, values: [r]}]}}]
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, namespaces: [team-a], labelSelector: {matchLabels: {app: web}, matchExpressions: [{key: t, operator: In, values: [u]}]}, matchLabelKeys: [app], mismatchLabelKeys: [other]}]
      preferredDuringSchedulingIgnoredDuringExecution: [{weight: 10, podAffinityTerm: {topologyKey: host, labelSelector: {matchLabels: {app: web}}, namespaceSelector: {}}}]
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: host, labelSelector: {matchExpressions: [{key: t, operator: Exists}]}}]
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, minDomains: 2, labelSelector: {matchLabels: {app: web}}, matchLabelKeys: [rev], nodeAffinityPolicy: Honor, nodeTaintsPolicy: Ignore}
  - {maxSkew: 2, topologyKey: host, whenUnsatisfiable: ScheduleAnyway}
  schedulingGates: [{name: example.com/gate}, {name: other}]
  dnsPolicy: None
  dnsConfig: {nameservers: [1.1.1.1, "2001:db8::1"], searches: [a.example, _b.example.], options: [{name: ndots, value: "2"}]}
  overhead: {cpu: 10m}
  restartPolicy: OnFailure
---
metadata: {name: secure, namespace: team-b, annotations: {container.apparmor.security.beta.kubernetes.io/c: runtime/default, seccomp.security.alpha.kubernetes.io/pod: runtime/default}}
spec:
  hostUsers: false
  shareProcessNamespace: true
  securityContext: {runAsUser: 1, runAsGroup: 2, fsGroup: 3, supplementalGroups: [4, 5], fsGroupChangePolicy: Always, sysctls: [{name: kernel.shm_rmid_forced, value: "1"}, {name: net.core.somaxconn, value: "2"}], seccompProfile: {type: RuntimeDefault}, supplementalGroupsPolicy: Merge, seLinuxOptions: {level: s0}, seLinuxChangePolicy: Recursive, appArmorProfile: {type: Localhost, localhostProfile: p}}
  containers:
  - name: c
    image: busybox
    securityContext: {privileged: true, allowPrivilegeEscalation: true, capabilities: {add: [CAP_SYS_ADMIN], drop: [ALL]}, runAsUser: 5, runAsGroup: 6, readOnlyRootFilesystem: true, procMount: Unmasked, seccompProfile: {type: Localhost, localhostProfile: a/b}, appArmorProfile: {type: RuntimeDefault}}
  - name: d
    image: busybox
    securityContext: {allowPrivilegeEscalation: false, windowsOptions: {runAsUserName: "DOM\\user", gmsaCredentialSpecName: spec}}
---
metadata: {name: hostnet, namespace: team-b}
spec:
  hostNetwork: true
  hostPID: true
  hostIPC: true
  dnsPolicy: ClusterFirstWithHostNet
  os: {name: linux}
  containers:
  - {name: c, image: busybox, ports: [{containerPort: 80}, {containerPort: 81, protocol: UDP}]}
  - {name: d, image: busybox, ports: [{containerPort: 90}], restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [1, 2]}}]}
  initContainers:
  - {name: i, image: busybox, restartPolicy: OnFailure, restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: NotIn, values: [3]}}]}
  - {name: s, image: busybox, restartPolicy: Always, livenessProbe: {grpc: {port: 5, service: x}, terminationGracePeriodSeconds: 4}, lifecycle: {preStop: {httpGet: {path: /x, port: 80}}}, resizePolicy: [{resourceName: cpu, restartPolicy: RestartContainer}]}
  restartPolicy: Never
---
metadata: {name: sized, namespace: team-b}
spec:
  resources: {limits: {cpu: "4", memory: 4Gi, hugepages-2Mi: 8Mi}, requests: {cpu: "3", memory: 3Gi, hugepages-2Mi: 8Mi}}
  resourceClaims: [{name: gpu, resourceClaimName: claim}, {name: tpl, resourceClaimTemplateName: t}]
  containers:
  - {name: c, image: busybox, resources: {limits: {cpu: "1", memory: 1Gi, hugepages-2Mi: 4Mi, example.com/foo: "2", ephemeral-storage: 1Gi}, requests: {cpu: "1"}, claims: [{name: gpu, request: r}, {name: tpl}]}, resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}, {resourceName: memory, restartPolicy: RestartContainer}]}
  - {name: d, image: busybox, resources: {requests: {memory: 1Gi}}}
  initContainers: [{name: i, image: busybox, resources: {limits: {cpu: "1"}}}]
---
metadata: {name: win, namespace: team-b}
spec:
  os: {name: windows}
  hostNetwork: true
  securityContext: {windowsOptions: {hostProcess: true, runAsUserName: "NT AUTHORITY\\SYSTEM"}}
  containers:
  - {name: c, image: busybox, securityContext: {windowsOptions: {hostProcess: true}}}
  - {name: d, image: busybox, env: [{name: X, valueFrom: {fileKeyRef: {volumeName: v, path: a/b, key: K}}}]}
  volumes: [{name: v, emptyDir: {}}]
`,
	"podupdates": `
metadata: {name: web-0, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, labels: {app: web}, annotations: {note: x, kubernetes.io/config.mirror: h}, finalizers: [example.com/f]}
spec:
  nodeName: node-1
  activeDeadlineSeconds: 600
  containers: [{name: main, image: nginx:1.27, ports: [{name: http, containerPort: 80}], env: [{name: A, value: "1"}], resources: {limits: {cpu: "1", memory: 1Gi}}}, {name: second, image: busybox}]
  initContainers: [{name: i, image: busybox}]
  tolerations: [{key: a, operator: Equal, value: b, effect: NoSchedule}]
  volumes: [{name: data, emptyDir: {}}]
status: {phase: Running, qosClass: Burstable}
---
metadata: {name: gated, namespace: team-a, uid: u2, resourceVersion: "6", generation: 1, labels: {app: web}}
spec:
  terminationGracePeriodSeconds: -5
  schedulingGates: [{name: a}, {name: b}]
  nodeSelector: {disk: ssd}
  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: z, operator: In, values: [a]}]}]}}}
  containers: [{name: main, image: nginx:1.27}]
status: {phase: Pending, qosClass: BestEffort}
`,
	"podstatuses": `
metadata: {name: web-0, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: x, controller: true}]}
spec:
  nodeName: node-1
  restartPolicy: OnFailure
  resourceClaims: [{name: gpu, resourceClaimName: claim}]
  containers: [{name: main, image: nginx:1.27, resources: {limits: {example.com/foo: "2"}, claims: [{name: gpu}]}}]
  initContainers: [{name: i, image: busybox}]
status:
  phase: Running
  qosClass: Burstable
  observedGeneration: 2
  nominatedNodeName: node-2
  hostIP: 10.0.0.1
  hostIPs: [{ip: 10.0.0.1}, {ip: "fd00::1"}]
  podIP: 10.1.0.5
  podIPs: [{ip: 10.1.0.5}, {ip: "2001:db8::5"}]
  conditions: [{type: Ready, status: "True", observedGeneration: 2}, {type: example.com/custom, status: "False"}]
  resourceClaimStatuses: [{name: gpu, resourceClaimName: claim-x}]
  containerStatuses: [{name: main, image: i, imageID: i, ready: true, restartCount: 1, state: {terminated: {exitCode: 0}}, user: {linux: {uid: 1, gid: 2, supplementalGroups: [3]}}, allocatedResourcesStatus: [{name: example.com/foo, resources: [{resourceID: a, health: Healthy}]}, {name: "claim:gpu", resources: [{resourceID: b, health: Unknown, message: m}]}]}]
  initContainerStatuses: [{name: i, image: i, imageID: i, ready: true, restartCount: 0, state: {terminated: {exitCode: 1}}}]
`,
	"podresizes": `
metadata: {name: web-0, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec:
  nodeName: node-1
  containers: [{name: main, image: nginx:1.27, resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: 500m, memory: 1Gi}}, resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]}, {name: second, image: busybox, resources: {requests: {cpu: 100m, example.com/foo: "1"}, limits: {example.com/foo: "1"}}}]
  initContainers: [{name: i, image: busybox, resources: {requests: {cpu: 100m}}}, {name: s, image: busybox, restartPolicy: Always, resources: {requests: {cpu: 100m}}}]
status: {phase: Running, qosClass: Burstable, containerStatuses: [{name: main, image: i, imageID: i, ready: true, restartCount: 1, state: {running: {}}, resources: {}}]}
`,
	"podephemerals": `
metadata: {name: web-0, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, labels: {app: web}}
spec:
  nodeName: node-1
  containers: [{name: main, image: nginx:1.27}]
  volumes: [{name: data, emptyDir: {}}]
  ephemeralContainers: [{name: debug, image: busybox, targetContainerName: main, command: [sh], env: [{name: A, value: b}], volumeMounts: [{name: data, mountPath: /data}], securityContext: {privileged: true}, stdin: true}]
status: {phase: Running, qosClass: BestEffort}
`,
	"replicasets": `
metadata: {name: rs, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, labels: {app: web}}
spec:
  replicas: 3
  minReadySeconds: 5
  selector: {matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [front]}]}
  template: {metadata: {labels: {app: web, tier: front}, annotations: {a: b}}, spec: {containers: [{name: c, image: busybox, ports: [{containerPort: 80}], resources: {limits: {cpu: "1"}}, livenessProbe: {httpGet: {port: 80}}}], volumes: [{name: v, emptyDir: {}}], tolerations: [{key: a, operator: Exists}], nodeSelector: {disk: ssd}}}
status: {replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 2, availableReplicas: 1, observedGeneration: 2}
`,
	"replicationcontrollers": `
metadata: {name: rc, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, labels: {app: web}}
spec:
  replicas: 3
  minReadySeconds: 5
  selector: {app: web, tier: front}
  template: {metadata: {labels: {app: web, tier: front}}, spec: {containers: [{name: c, image: busybox, ports: [{containerPort: 80}], resources: {limits: {cpu: "1"}}}], initContainers: [{name: i, image: busybox}], hostNetwork: true, volumes: [{name: v, emptyDir: {}}], tolerations: [{key: a, operator: Exists}]}}
status: {replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 2, availableReplicas: 1, observedGeneration: 2}
`,
	"deployments": `
metadata: {name: d, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, labels: {app: web}, annotations: {a: b}}
spec:
  replicas: 3
  minReadySeconds: 5
  progressDeadlineSeconds: 60
  revisionHistoryLimit: 4
  strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 25%}}
  selector: {matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [front]}]}
  template: {metadata: {labels: {app: web, tier: front}}, spec: {containers: [{name: c, image: busybox, ports: [{containerPort: 80}]}], tolerations: [{key: a, operator: Exists}]}}
status: {replicas: 3, updatedReplicas: 3, readyReplicas: 2, availableReplicas: 1, unavailableReplicas: 2, observedGeneration: 2, collisionCount: 1}
---
metadata: {name: d2, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec:
  paused: true
  strategy: {type: Recreate}
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: busybox}]}}
`,
	"statefulsets": `
metadata: {name: s, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, labels: {app: web}}
spec:
  replicas: 3
  minReadySeconds: 5
  serviceName: svc
  podManagementPolicy: Parallel
  revisionHistoryLimit: 4
  ordinals: {start: 2}
  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Retain}
  selector: {matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [front]}]}
  template: {metadata: {labels: {app: web, tier: front}, annotations: {a: b}}, spec: {hostname: h, subdomain: s, containers: [{name: c, image: busybox, volumeMounts: [{name: data, mountPath: /d}, {name: v, mountPath: /v}]}], volumes: [{name: v, emptyDir: {}}]}}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: fast}}]
status: {replicas: 3, readyReplicas: 2, currentReplicas: 3, updatedReplicas: 3, availableReplicas: 1, observedGeneration: 2, collisionCount: 1}
---
metadata: {name: s2, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec:
  updateStrategy: {type: OnDelete}
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: busybox}]}}
`,
	"daemonsets": `
metadata: {name: ds, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, labels: {app: web}, annotations: {deprecated.daemonset.template.generation: "3", a: b}}
spec:
  minReadySeconds: 5
  revisionHistoryLimit: 4
  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 10%, maxSurge: 0}}
  selector: {matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [front]}]}
  template: {metadata: {labels: {app: web, tier: front}}, spec: {containers: [{name: c, image: busybox, ports: [{containerPort: 80}]}], nodeSelector: {disk: ssd}}}
status: {currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 2, numberReady: 1, observedGeneration: 2, updatedNumberScheduled: 1, numberAvailable: 1, numberUnavailable: 1, collisionCount: 1}
---
metadata: {name: ds2, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec:
  updateStrategy: {type: OnDelete}
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: busybox}]}}
`,
	"controllerrevisions": `
metadata: {name: cr, namespace: team-a, uid: u1, resourceVersion: "5", labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: r, uid: x, controller: true}]}
revision: 3
data: {spec: {a: 1, b: [x]}}
`,
	"podtemplates": `
metadata: {name: pt, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
template: {metadata: {labels: {app: web, tier: front}}, spec: {containers: [{name: c, image: busybox, ports: [{containerPort: 80}], resources: {limits: {cpu: "1"}}}], volumes: [{name: v, emptyDir: {}}], tolerations: [{key: a, operator: Exists}]}}
`,
	"namespaces": `
metadata: {name: team-a, uid: u1, resourceVersion: "5", labels: {a: b, kubernetes.io/metadata.name: team-a}, annotations: {note: x}, finalizers: [example.com/f], ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: x, controller: true}]}
spec: {finalizers: [kubernetes, example.com/other]}
status: {phase: Active}
---
metadata: {name: team-b, uid: u2, resourceVersion: "6", deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 0, labels: {kubernetes.io/metadata.name: team-b}, finalizers: [example.com/f]}
spec: {finalizers: [kubernetes]}
status: {phase: Terminating, conditions: [{type: X, status: "True"}]}
`,
	"nodes": `
metadata: {name: node-1, uid: u1, resourceVersion: "5", labels: {zone: a}, annotations: {note: x}}
spec: {podCIDR: 10.0.1.0/24, podCIDRs: [10.0.1.0/24, "fd00:1::/64"], providerID: "x://y", unschedulable: true, taints: [{key: a, value: b, effect: NoSchedule}, {key: c, effect: NoExecute}]}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110", example.com/foo: "3"}, allocatable: {cpu: "3", pods: "100"}, addresses: [{type: InternalIP, address: 10.0.0.1}, {type: Hostname, address: nn}], conditions: [{type: Ready, status: "True"}], declaredFeatures: [Alpha, Beta/sub], nodeInfo: {swap: {capacity: 5}}}
---
metadata: {name: node-2, uid: u1, resourceVersion: "5"}
spec: {}
`,
	"services": `
metadata: {name: svc, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}, annotations: {service.kubernetes.io/topology-mode: Auto}}
spec: {type: LoadBalancer, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7, "fd00::7"], ipFamilies: [IPv4, IPv6], ipFamilyPolicy: PreferDualStack, selector: {app: web}, ports: [{name: http, port: 80, targetPort: web, nodePort: 30080, protocol: TCP, appProtocol: example.com/x}, {name: dns, port: 53, targetPort: 53, nodePort: 30053, protocol: UDP}], sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 60}}, externalTrafficPolicy: Local, healthCheckNodePort: 31000, loadBalancerClass: example.com/lb, loadBalancerSourceRanges: [10.0.0.0/8], externalIPs: [192.0.2.1], loadBalancerIP: 192.0.2.9, trafficDistribution: PreferSameZone, allocateLoadBalancerNodePorts: true}
status: {loadBalancer: {ingress: [{ip: 192.0.2.7, ipMode: VIP}, {hostname: lb.example}]}}
---
metadata: {name: plain, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {type: ClusterIP, clusterIP: 10.0.0.8, clusterIPs: [10.0.0.8], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{port: 80}], selector: {app: web}}
---
metadata: {name: ext, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {type: ExternalName, externalName: a.example., ports: [{port: 80}]}
---
metadata: {name: headless, namespace: team-a, uid: u1, resourceVersion: "5", annotations: {service.kubernetes.io/topology-aware-hints: auto}}
spec: {clusterIP: None, clusterIPs: [None], selector: {app: web}, publishNotReadyAddresses: true}
---
metadata: {name: nodeport, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {type: NodePort, clusterIP: 10.0.0.9, clusterIPs: [10.0.0.9], ipFamilies: [IPv4], ports: [{port: 80, nodePort: 30001}]}
`,
	"priorityclasses": `
metadata: {name: high, uid: u1, resourceVersion: "5", generation: 1, labels: {a: b}}
value: 1000
globalDefault: true
preemptionPolicy: Never
description: d
---
metadata: {name: system-node-critical, uid: u1, resourceVersion: "5", generation: 1}
value: 2000001000
`,
	"serviceaccounts": `
metadata: {name: robot, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}, annotations: {note: x}, finalizers: [example.com/f], ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: x, controller: true}]}
secrets: [{name: s, namespace: other, kind: Secret}]
imagePullSecrets: [{name: p}]
automountServiceAccountToken: true
`,
	"secrets": `
metadata: {name: s1, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}, annotations: {kubernetes.io/service-account.name: robot}}
type: kubernetes.io/service-account-token
data: {token: eA==, ca.crt: eQ==}
---
metadata: {name: s2, namespace: team-a, uid: u1, resourceVersion: "5"}
type: kubernetes.io/dockerconfigjson
data: {.dockerconfigjson: e30=}
---
metadata: {name: s3, namespace: team-a, uid: u1, resourceVersion: "5"}
type: kubernetes.io/tls
data: {tls.crt: eA==, tls.key: eQ==}
---
metadata: {name: s4, namespace: team-a, uid: u1, resourceVersion: "5"}
immutable: true
type: kubernetes.io/basic-auth
data: {username: eA==}
---
metadata: {name: s5, namespace: team-a, uid: u1, resourceVersion: "5"}
type: kubernetes.io/ssh-auth
data: {ssh-privatekey: eA==}
`,
	"configmaps": `
metadata: {name: cm, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}, annotations: {note: x}}
immutable: true
data: {a: b, c.d: e}
binaryData: {f: eA==}
---
metadata: {name: cm2, namespace: team-a, uid: u1, resourceVersion: "5"}
data: {a: b}
binaryData: {f: eA==}
`,
	"resourcequotas": `
metadata: {name: q, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {hard: {pods: "10", cpu: "4", requests.memory: 8Gi, limits.cpu: "5"}, scopes: [NotBestEffort, Terminating]}
status: {hard: {pods: "10"}, used: {pods: "3"}}
---
metadata: {name: q2, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {hard: {pods: "10", count/widgets.example.com: "4"}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}, {scopeName: BestEffort, operator: Exists}]}}
status: {hard: {pods: "10", count/widgets.example.com: "4"}, used: {pods: "3"}}
`,
	"limitranges": `
metadata: {name: lr, namespace: team-a, uid: u1, resourceVersion: "5"}
spec:
  limits:
  - {type: Container, min: {cpu: 100m, memory: 1Mi}, max: {cpu: "2", memory: 2Gi}, default: {cpu: "1"}, defaultRequest: {cpu: 500m}, maxLimitRequestRatio: {cpu: "4"}}
  - {type: Pod, max: {cpu: "4"}, min: {cpu: "1"}, maxLimitRequestRatio: {cpu: "3"}}
  - {type: PersistentVolumeClaim, min: {storage: 1Gi}, max: {storage: 10Gi}}
  - {type: example.com/thing, max: {example.com/foo: "3"}, default: {example.com/foo: "2"}, defaultRequest: {example.com/foo: "2"}}
`,
	"leases.coordination.k8s.io": `
metadata: {name: l, namespace: kube-system, uid: u1, resourceVersion: "5", labels: {a: b}, finalizers: [plain]}
spec: {holderIdentity: x, leaseDurationSeconds: 15, acquireTime: "2026-01-01T00:00:00.000000Z", renewTime: "2026-01-01T00:00:00.000000Z", leaseTransitions: 3}
---
metadata: {name: l2, namespace: kube-system, uid: u1, resourceVersion: "5"}
spec: {holderIdentity: x, strategy: OldestEmulationVersion, preferredHolder: yy, leaseDurationSeconds: 1}
`,
	"leasecandidates.coordination.k8s.io": `
metadata: {name: l, namespace: kube-system, uid: u1, resourceVersion: "5", labels: {a: b}}
spec: {leaseName: kcm, binaryVersion: 1.36.0, emulationVersion: 1.35.0, strategy: OldestEmulationVersion, pingTime: "2026-01-01T00:00:00.000000Z"}
---
metadata: {name: l2, namespace: kube-system, uid: u1, resourceVersion: "5"}
spec: {leaseName: kcm, binaryVersion: 1.36.0-alpha.2, emulationVersion: 1.36.0-alpha.1, strategy: example.com/mine}
`,
	"events": `
metadata: {name: e, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}}
involvedObject: {kind: Pod, namespace: team-a, name: p, uid: x, apiVersion: v1}
reason: Started
message: m
source: {component: kubelet, host: nn}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
count: 1
type: Normal
---
metadata: {name: e2, namespace: team-a, uid: u1, resourceVersion: "5"}
involvedObject: {kind: Pod, namespace: team-a, name: p}
eventTime: "2026-01-01T00:00:00.000000Z"
reportingComponent: example.com/c
reportingInstance: i
action: Bind
reason: R
message: m
type: Warning
series: {count: 3, lastObservedTime: "2026-01-01T00:00:00.000000Z"}
related: {kind: Node, name: nn}
`,
}
