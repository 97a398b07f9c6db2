// The initial objects for services, including the Service of the API server, and the repair after a process that ended
// in the middle of a write.
// Upstream: pkg/controlplane/controller/{defaultservicecidr,kubernetesservice}; ipallocator/controller/repairip.go

import type { Service } from "#api/generated/types/core-v1.ts";
import type { IPAddress } from "#api/generated/types/networking-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { formatTime } from "#api/time.ts";
import { ALLOCATOR, createIpAddress, IP_ADDRESSES, MANAGED_BY, SERVICE_CIDRS } from "#kinds/core/service-addresses.ts";
import { ipsOf } from "#kinds/core/service-allocation.ts";
import type { ServerCore } from "../core.ts";
import { createOwn, deleteOwn, rowNamed } from "../write/own-objects.ts";

/** The default of upstream's documentation. */
const DEFAULT_CIDR = "10.0.0.0/24";
const SERVER_IP = "10.0.0.1";

export function bootstrapServices(core: ServerCore): void {
  createDefaultCidr(core);
  repairIpAddresses(core);
  createServerService(core);
}

function createDefaultCidr(core: ServerCore): void {
  const now = formatTime(core.clock.now());
  const message = "Kubernetes default Service CIDR is ready";
  const ready = { type: "Ready", status: "True", lastTransitionTime: now, reason: "", message };
  const owner = {
    manager: "kubernetes-service-cidr-controller",
    operation: "Apply",
    apiVersion: "networking.k8s.io/v1",
    time: now,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:status": {
        "f:conditions": {
          'k:{"type":"Ready"}': {
            ".": {},
            "f:lastTransitionTime": {},
            "f:message": {},
            "f:status": {},
            "f:type": {},
          },
        },
      },
    },
    subresource: "status",
  };
  const given = { metadata: { name: "kubernetes" }, spec: { cidrs: [DEFAULT_CIDR] } } as KubeObject;
  createOwn(core, SERVICE_CIDRS, given, (object) => ({
    ...object,
    metadata: { ...object.metadata, managedFields: [owner, ...(object.metadata?.managedFields ?? [])] },
    status: { conditions: [ready] },
  }));
}

/** Each address of a Service has its IPAddress object, and no such object outlives its Service. */
function repairIpAddresses(core: ServerCore): void {
  const services = core.tableOf(rowNamed(core, "services"));
  const addresses = core.tableOf(rowNamed(core, IP_ADDRESSES));
  for (const { object } of [...services.scan({ prefix: "" })]) {
    for (const ip of ipsOf((object as Service).spec ?? {})) {
      if (addresses.get(ip) === undefined) createIpAddress(core.kindServer, ip, object as Service);
    }
  }
  for (const { key, object } of [...addresses.scan({ prefix: "" })]) {
    if (object.metadata?.labels?.[MANAGED_BY] !== ALLOCATOR) continue;
    const { namespace = "", name = "" } = (object as IPAddress).spec.parentRef;
    const service = services.get(`${namespace}/${name}`)?.object as Service | undefined;
    if (!ipsOf(service?.spec ?? {}).includes(key)) deleteOwn(core, IP_ADDRESSES, key);
  }
}

/** bootstrap/server-endpoints.ts writes its endpoints. */
function createServerService(core: ServerCore): void {
  const table = core.tableOf(rowNamed(core, "services"));
  if (table.get("default/kubernetes") !== undefined) return;
  const port = Number(/:([0-9]+)$/.exec(core.serverAddress)?.[1] ?? 443);
  const given: Service = {
    metadata: { name: "kubernetes", namespace: "default", labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: port }],
      clusterIP: SERVER_IP,
      type: "ClusterIP",
      sessionAffinity: "None",
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
    },
  };
  // Another Service has the address. As upstream, the server then continues without its Service.
  if (createIpAddress(core.kindServer, SERVER_IP, given) !== undefined) return;
  createOwn(core, "services", given, (object) => ({
    ...object,
    spec: { ...(object as Service).spec, clusterIPs: [SERVER_IP], ipFamilies: ["IPv4"] },
    status: { loadBalancer: {} },
  }));
}
