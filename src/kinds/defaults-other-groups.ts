// Defaults of the remaining groups: policy machinery, networking, storage, devices, extensions.
// Upstream: pkg/apis/<group>/<version>/defaults.go of each group named below

import { formatTime } from "#api/time.ts";
import {
  all,
  at,
  each,
  gated,
  inner,
  isEmpty,
  isNil,
  isObject,
  isZero,
  type JsonObject,
  nil,
  type Rule,
  set,
  values,
  zero,
} from "#kinds/parts/defaulting.ts";
import { persistentVolumeSource } from "#kinds/pod-spec/volume-defaults.ts";

type Kinds = Readonly<Record<string, Rule>>;

const servicePort443: Rule = at("service", nil({ port: 443 }));
const anyScope: Rule = nil({ scope: "*" });
const webhook: Rule = all(
  nil({
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  }),
  at("clientConfig", servicePort443),
  each("rules", anyScope),
);
const matchResources: Rule = all(
  nil({ matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} }),
  each("resourceRules", anyScope),
  each("excludeResourceRules", anyScope),
);
const admissionPolicy: Rule = inner(
  "spec",
  all(nil({ failurePolicy: "Fail" }), at("matchConstraints", matchResources)),
);
const admissionBinding: Rule = inner("spec", at("matchResources", matchResources));
const admissionPolicies: Kinds = {
  MutatingAdmissionPolicy: admissionPolicy,
  MutatingAdmissionPolicyBinding: admissionBinding,
  ValidatingAdmissionPolicy: admissionPolicy,
  ValidatingAdmissionPolicyBinding: admissionBinding,
};
const alphaBinding: Rule = all(admissionBinding, at("spec", at("paramRef", nil({ parameterNotFoundAction: "Deny" }))));

const customResourceDefinition: Rule = all(
  inner(
    "spec",
    all(
      inner("names", (names) => {
        const kind = typeof names.kind === "string" ? names.kind : "";
        if (kind === "") return names;
        return zero({ singular: kind.toLowerCase(), listKind: `${kind}List` })(names, NO_CONTEXT);
      }),
      nil({ conversion: { strategy: "None" } }),
      at("conversion", at("webhook", at("clientConfig", servicePort443))),
    ),
  ),
  (object) => {
    const versions: unknown = isObject(object.spec) ? object.spec.versions : undefined;
    if (!Array.isArray(versions) || (isObject(object.status) && !isEmpty(object.status.storedVersions))) return object;
    const stored: unknown = versions.find((version) => isObject(version) && version.storage === true);
    return isObject(stored)
      ? inner("status", (status) => set(status, "storedVersions", [stored.name ?? ""]))(object, NO_CONTEXT)
      : object;
  },
);

// For rules that read neither the time nor a gate.
const NO_CONTEXT = { now: 0 };

const queuing: Rule = zero({ handSize: 8, queues: 64, queueLengthLimit: 50 });
const priorityLevel: Rule = at(
  "spec",
  all(
    at(
      "limited",
      all(nil({ nominalConcurrencyShares: 30, lendablePercent: 0 }), at("limitResponse", at("queuing", queuing))),
    ),
    at("exempt", nil({ nominalConcurrencyShares: 0, lendablePercent: 0 })),
  ),
);

const policyTypes: Rule = (spec) =>
  isEmpty(spec.policyTypes)
    ? set(spec, "policyTypes", isEmpty(spec.egress) ? ["Ingress"] : ["Ingress", "Egress"])
    : spec;
const tcpPorts: Rule = each("ports", nil({ protocol: "TCP" }));
const networkPolicy: Rule = inner("spec", all(policyTypes, each("ingress", tcpPorts), each("egress", tcpPorts)));

const RBAC_GROUP = "rbac.authorization.k8s.io";
const subject: Rule = (object) =>
  isZero(object.apiGroup) && (object.kind === "User" || object.kind === "Group")
    ? set(object, "apiGroup", RBAC_GROUP)
    : object;
const roleBinding: Rule = all(inner("roleRef", zero({ apiGroup: RBAC_GROUP })), each("subjects", subject));

const csiDriver = (more: readonly Rule[]): Rule =>
  inner(
    "spec",
    all(
      nil({
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: "ReadWriteOnceWithFSType",
        requiresRepublish: false,
      }),
      (spec) => (isEmpty(spec.volumeLifecycleModes) ? set(spec, "volumeLifecycleModes", ["Persistent"]) : spec),
      gated("SELinuxMountReadWriteOncePod", nil({ seLinuxMount: false })),
      ...more,
    ),
  );
const volumeAttachment: Rule = at("spec", at("source", at("inlineVolumeSpec", persistentVolumeSource)));
const storageClass: Rule = nil({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate" });

const exactCount: Rule = all(zero({ allocationMode: "ExactCount" }), (request, ctx) =>
  request.allocationMode === "ExactCount" ? zero({ count: 1 })(request, ctx) : request,
);
const deviceTolerations: Rule = each("tolerations", zero({ operator: "Equal" }));
const deviceTaint: Rule = (taint, ctx) =>
  isNil(taint.timeAdded) ? set(taint, "timeAdded", formatTime(ctx.now)) : taint;
const device: Rule = all(
  values("nodeAllocatableResourceMappings", nil({ allocationMultiplier: "1" })),
  each("taints", deviceTaint),
);

/** Device requests and slices differ between versions in where the same parts sit. */
function resourceKinds(request: Rule, deviceOfSlice: Rule): Kinds {
  const claimSpec = at("devices", each("requests", request));
  const allocation = at("allocation", at("devices", each("results", deviceTolerations)));
  return {
    ResourceClaim: all(at("spec", claimSpec), at("status", allocation)),
    ResourceClaimTemplate: at("spec", at("spec", claimSpec)),
    ResourceSlice: at("spec", each("devices", deviceOfSlice)),
  };
}
const firstAvailable: Rule = each("firstAvailable", all(exactCount, deviceTolerations));
const nestedRequest: Rule = all(at("exactly", all(exactCount, deviceTolerations)), firstAvailable);
// v1beta1 keeps an exact request's fields beside firstAvailable; a class name tells them apart.
const flatRequest: Rule = all(
  (request: JsonObject, ctx) => (isZero(request.deviceClassName) ? request : exactCount(request, ctx)),
  firstAvailable,
  deviceTolerations,
);
const taintRule: Kinds = { DeviceTaintRule: inner("spec", inner("taint", deviceTaint)) };

export const OTHER_GROUPS: Readonly<Record<string, Kinds>> = {
  "admissionregistration.k8s.io/v1": {
    ...admissionPolicies,
    MutatingWebhookConfiguration: each("webhooks", all(webhook, nil({ reinvocationPolicy: "Never" }))),
    ValidatingWebhookConfiguration: each("webhooks", webhook),
  },
  "admissionregistration.k8s.io/v1beta1": admissionPolicies,
  "admissionregistration.k8s.io/v1alpha1": {
    ...admissionPolicies,
    MutatingAdmissionPolicyBinding: alphaBinding,
    ValidatingAdmissionPolicyBinding: alphaBinding,
  },
  "apiextensions.k8s.io/v1": { CustomResourceDefinition: customResourceDefinition },
  "apiregistration.k8s.io/v1": { APIService: at("spec", servicePort443) },
  "authentication.k8s.io/v1": { TokenRequest: inner("spec", nil({ expirationSeconds: 3600 })) },
  "certificates.k8s.io/v1beta1": { PodCertificateRequest: inner("spec", nil({ maxExpirationSeconds: 86_400 })) },
  "discovery.k8s.io/v1": { EndpointSlice: each("ports", nil({ name: "", protocol: "TCP" })) },
  "flowcontrol.apiserver.k8s.io/v1": {
    FlowSchema: inner("spec", zero({ matchingPrecedence: 1000 })),
    PriorityLevelConfiguration: priorityLevel,
  },
  "networking.k8s.io/v1": {
    IngressClass: at("spec", at("parameters", nil({ scope: "Cluster" }))),
    NetworkPolicy: networkPolicy,
  },
  "rbac.authorization.k8s.io/v1": { ClusterRoleBinding: roleBinding, RoleBinding: roleBinding },
  "resource.k8s.io/v1": resourceKinds(nestedRequest, device),
  "resource.k8s.io/v1alpha3": { ...taintRule, ResourcePoolStatusRequest: inner("spec", nil({ limit: 100 })) },
  "resource.k8s.io/v1beta1": resourceKinds(flatRequest, at("basic", device)),
  "resource.k8s.io/v1beta2": { ...resourceKinds(nestedRequest, device), ...taintRule },
  "scheduling.k8s.io/v1": { PriorityClass: nil({ preemptionPolicy: "PreemptLowerPriority" }) },
  "scheduling.k8s.io/v1alpha2": { PodGroup: inner("spec", nil({ disruptionMode: "Pod" })) },
  "storage.k8s.io/v1": {
    CSIDriver: csiDriver([gated("VolumeLimitScaling", nil({ preventPodSchedulingIfMissing: false }))]),
    StorageClass: storageClass,
    VolumeAttachment: volumeAttachment,
  },
};
