// Defaults of pods and of pod templates.
// Upstream: pkg/apis/core/v1/defaults.go and zz_generated.defaults.go

import { quantities, resources } from "#kinds/parts/default-quantities.ts";
import {
  addMissing,
  all,
  at,
  each,
  inner,
  isEmpty,
  isNil,
  isObject,
  isZero,
  nil,
  type Rule,
  set,
  zero,
} from "#kinds/parts/defaulting.ts";
import { imageTag } from "./image-name.ts";
import { podLevelResources } from "./pod-level-resources.ts";
import { azureDisk, claimSpec, hostPath, iscsi, rbd, scaleIO } from "./volume-defaults.ts";

const fieldRef: Rule = zero({ apiVersion: "v1" });
const httpGet: Rule = zero({ path: "/", scheme: "HTTP" });

const probe: Rule = all(
  zero({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  at("httpGet", httpGet),
  at("grpc", nil({ service: "" })),
);

const lifecycleHandler: Rule = at("httpGet", httpGet);

/** "Always" for the tag latest, which is also the default tag. */
const pullPolicyByTag =
  (imageField: string, policyField: string): Rule =>
  (object, _, isCopy) => {
    if (!isZero(object[policyField])) return object;
    const image = object[imageField];
    const isLatest = imageTag(typeof image === "string" ? image : "") === "latest";
    return set(object, policyField, isLatest ? "Always" : "IfNotPresent", isCopy);
  };

const container: Rule = all(
  pullPolicyByTag("image", "imagePullPolicy"),
  zero({ terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" }),
  each("ports", zero({ protocol: "TCP" })),
  each("env", at("valueFrom", all(at("fieldRef", fieldRef), at("fileKeyRef", nil({ optional: false }))))),
  at("resources", resources),
  at("livenessProbe", probe),
  at("readinessProbe", probe),
  at("startupProbe", probe),
  at("lifecycle", all(at("postStart", lifecycleHandler), at("preStop", lifecycleHandler))),
);

const downwardItems: Rule = each("items", at("fieldRef", fieldRef));

const emptyDirWithoutSource: Rule = (volume) => {
  for (const field in volume) if (field !== "name" && !isNil(volume[field])) return volume;
  return set(volume, "emptyDir", {});
};

const volume: Rule = all(
  emptyDirWithoutSource,
  at("image", pullPolicyByTag("reference", "pullPolicy")),
  at("hostPath", hostPath),
  at("secret", nil({ defaultMode: 0o644 })),
  at("iscsi", iscsi),
  at("rbd", rbd),
  at("downwardAPI", all(nil({ defaultMode: 0o644 }), downwardItems)),
  at("configMap", nil({ defaultMode: 0o644 })),
  at("azureDisk", azureDisk),
  at(
    "projected",
    all(
      nil({ defaultMode: 0o644 }),
      each(
        "sources",
        all(at("downwardAPI", downwardItems), at("serviceAccountToken", nil({ expirationSeconds: 3600 }))),
      ),
    ),
  ),
  at("scaleIO", scaleIO),
  at("ephemeral", at("volumeClaimTemplate", inner("spec", claimSpec))),
);

const podSpec: Rule = all(
  zero({ dnsPolicy: "ClusterFirst", restartPolicy: "Always", schedulerName: "default-scheduler" }),
  nil({ securityContext: {}, terminationGracePeriodSeconds: 30 }),
  each("volumes", volume),
  each("initContainers", container),
  each("containers", container),
  each("ephemeralContainers", container),
  quantities("overhead"),
  at("resources", resources),
);

export const podTemplateDefaults: Rule = inner("spec", podSpec);

const requestsFromLimits: Rule = at("resources", (object) => {
  if (!isObject(object.limits)) return object;
  const requests = addMissing(object.requests, object.limits);
  return isEmpty(requests) ? object : set(object, "requests", requests);
});

const hostPorts: Rule = each("ports", (port) =>
  isZero(port.hostPort) && !isZero(port.containerPort) ? set(port, "hostPort", port.containerPort) : port,
);

// Only for pods, so that stored templates do not change.
const podOnly: Rule = all(
  each("containers", requestsFromLimits),
  each("initContainers", requestsFromLimits),
  podLevelResources,
  nil({ enableServiceLinks: true }),
  (spec, ctx) =>
    spec.hostNetwork === true ? all(each("containers", hostPorts), each("initContainers", hostPorts))(spec, ctx) : spec,
);

const containerStatus: Rule = all(quantities("allocatedResources"), at("resources", resources));

export const podDefaults: Rule = all(
  inner("spec", all(podOnly, podSpec)),
  at(
    "status",
    all(
      each("initContainerStatuses", containerStatus),
      each("containerStatuses", containerStatus),
      each("ephemeralContainerStatuses", containerStatus),
      quantities("allocatedResources"),
      at("resources", resources),
    ),
  ),
);
