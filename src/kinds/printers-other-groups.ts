// Printers of the remaining groups. Upstream: pkg/printers/internalversion/printers.go; kube-aggregator
// pkg/registry/apiservice/etcd for APIService

import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import type * as aggregation from "#api/generated/types/apiregistration-v1.ts";
import type * as certificates from "#api/generated/types/certificates-v1.ts";
import type * as trust from "#api/generated/types/certificates-v1beta1.ts";
import type * as coordination from "#api/generated/types/coordination-v1.ts";
import type * as candidates from "#api/generated/types/coordination-v1beta1.ts";
import type * as discovery from "#api/generated/types/discovery-v1.ts";
import type * as flow from "#api/generated/types/flowcontrol-v1.ts";
import type * as internal from "#api/generated/types/internal-v1alpha1.ts";
import type * as networking from "#api/generated/types/networking-v1.ts";
import type * as node from "#api/generated/types/node-v1.ts";
import type * as rbac from "#api/generated/types/rbac-v1.ts";
import type * as migration from "#api/generated/types/storagemigration-v1beta1.ts";
import { formatLabelSelector } from "#api/label-selector.ts";
import type { EpochMs } from "#base/clock.ts";
import {
  ageOf,
  defaultMark,
  firstThree,
  formatLabels,
  humanDuration,
  nameOf,
  orNone,
  orUnset,
  type Printer,
  printer,
} from "#kinds/parts/printer.ts";

const webhooks: Printer = printer<admission.ValidatingWebhookConfiguration>(
  "Name|Webhooks:integer|Age",
  (object, now) => [nameOf(object), (object.webhooks ?? []).length, ageOf(object, now)],
);

const paramKind = (kind: admission.ParamKind | undefined): string =>
  kind ? `${kind.apiVersion ?? ""}/${kind.kind ?? ""}` : "<unset>";

function paramRef(ref: admission.ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || "*"}/${ref.name}`;
  return ref?.selector ? goSelector(ref.selector) : "<unset>";
}

/** Go's String of the protobuf message. */
function goSelector({ matchLabels = {}, matchExpressions = [] }: NonNullable<admission.ParamRef["selector"]>): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`)
    .join("");
  const expressions = matchExpressions
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
    )
    .join("");
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

const binding: Printer = printer<admission.ValidatingAdmissionPolicyBinding>(
  "Name|PolicyName|ParamRef|Age",
  (object, now) => [nameOf(object), object.spec?.policyName ?? "", paramRef(object.spec?.paramRef), ageOf(object, now)],
);

function requestStatus({ status }: certificates.CertificateSigningRequest): string {
  const has = (type: string): boolean => status?.conditions?.some((condition) => condition.type === type) === true;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

const roleBinding: Printer = printer<rbac.RoleBinding>(
  "Name|Role|Age|Users*|Groups*|ServiceAccounts*",
  (object, now) => {
    const { roleRef, subjects = [] } = object;
    const of = (kind: string): rbac.Subject[] => subjects.filter((subject) => subject.kind === kind);
    const names = (kind: string): string =>
      of(kind)
        .map(({ name }) => name)
        .join(", ");
    const accounts = of("ServiceAccount").map(({ namespace = "", name }) => `${namespace}/${name}`);
    const role = `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`;
    return [nameOf(object), role, ageOf(object, now), names("User"), names("Group"), accounts.join(", ")];
  },
);

function hosts(rules: readonly networking.IngressRule[]): string {
  // Rules without a host count as more ones, but not as one of the three.
  const named: string[] = [];
  let hasMore = false;
  for (const { host } of rules) {
    hasMore ||= named.length === 3;
    if (!hasMore && host) named.push(host);
  }
  if (named.length === 0) return "*";
  return hasMore ? `${named.join(",")} + ${rules.length - 3} more...` : named.join(",");
}

function ingressCells(ingress: networking.Ingress, now: EpochMs): unknown[] {
  const { spec, status } = ingress;
  const addresses = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
  return [
    nameOf(ingress),
    spec?.ingressClassName ?? "<none>",
    hosts(spec?.rules ?? []),
    [...new Set(addresses.filter((address) => address !== ""))].sort().join(","),
    (spec?.tls ?? []).length > 0 ? "80, 443" : "80",
    ageOf(ingress, now),
  ];
}

function ingressClassCells(object: networking.IngressClass, now: EpochMs): unknown[] {
  const { controller = "", parameters } = object.spec ?? {};
  const group = parameters?.apiGroup === undefined ? "" : `.${parameters.apiGroup}`;
  const mark = defaultMark(object, "ingressclass.kubernetes.io/is-default-class");
  const shown = parameters ? `${parameters.kind ?? ""}${group}/${parameters.name ?? ""}` : "<none>";
  return [nameOf(object) + mark, controller, shown, ageOf(object, now)];
}

function ipAddressCells(object: networking.IPAddress, now: EpochMs): unknown[] {
  const parent = object.spec?.parentRef;
  const resourceName = parent?.group ? `${parent.resource ?? ""}.${parent.group}` : (parent?.resource ?? "");
  const namespace = parent?.namespace ? `/${parent.namespace}` : "";
  const shown = parent ? `${resourceName.toLowerCase()}${namespace}/${parent.name ?? ""}` : "<none>";
  return [nameOf(object), shown, ageOf(object, now)];
}

const slicePorts = (ports: readonly discovery.EndpointPort[]): string =>
  firstThree(ports.map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port))));

function flowSchemaCells(object: flow.FlowSchema, now: EpochMs): unknown[] {
  const { spec, status } = object;
  return [
    nameOf(object),
    spec?.priorityLevelConfiguration?.name ?? "",
    spec?.matchingPrecedence ?? 0,
    spec?.distinguisherMethod ? (spec.distinguisherMethod.type ?? "") : "<none>",
    ageOf(object, now),
    status?.conditions?.find(({ type }) => type === "Dangling")?.status ??
      (status?.conditions?.some(({ type }) => type === "Dangling") ? "" : "?"),
  ];
}

function priorityLevelCells(object: flow.PriorityLevelConfiguration, now: EpochMs): unknown[] {
  const { type = "", limited } = object.spec ?? {};
  const queuing = limited?.limitResponse?.queuing;
  const of = (value: number | undefined): unknown => (queuing ? (value ?? 0) : "<none>");
  return [
    nameOf(object),
    type,
    limited ? (limited.nominalConcurrencyShares ?? 0) : "<none>",
    of(queuing?.queues),
    of(queuing?.handSize),
    of(queuing?.queueLengthLimit),
    ageOf(object, now),
  ];
}

function apiServiceCells(object: aggregation.APIService, now: EpochMs): unknown[] {
  const { service } = object.spec ?? {};
  const available = object.status?.conditions?.find(({ type }) => type === "Available");
  const isOk = available?.status === "True";
  const reason = available?.reason ? ` (${available.reason})` : "";
  const shown = isOk ? "True" : available ? `${available.status}${reason}` : "Unknown";
  return [nameOf(object), service ? `${service.namespace}/${service.name}` : "Local", shown, ageOf(object, now)];
}

export const OTHER_PRINTERS: Readonly<Record<string, Printer>> = {
  "apiservices.apiregistration.k8s.io": printer("Name|Service|Available|Age", apiServiceCells),
  "certificatesigningrequests.certificates.k8s.io": printer<certificates.CertificateSigningRequest>(
    "Name|Age|SignerName|Requestor|RequestedDuration|Condition",
    (csr, now) => [
      nameOf(csr),
      ageOf(csr, now),
      orNone(csr.spec?.signerName),
      csr.spec?.username ?? "",
      csr.spec?.expirationSeconds === undefined ? "<none>" : humanDuration(csr.spec.expirationSeconds * 1000),
      requestStatus(csr),
    ],
  ),
  "clusterrolebindings.rbac.authorization.k8s.io": roleBinding,
  "clustertrustbundles.certificates.k8s.io": printer<trust.ClusterTrustBundle>("Name|SignerName", (bundle) => [
    nameOf(bundle),
    orNone(bundle.spec?.signerName),
  ]),
  "endpointslices.discovery.k8s.io": printer<discovery.EndpointSlice>(
    "Name|AddressType|Ports|Endpoints|Age",
    (slice, now) => [
      nameOf(slice),
      slice.addressType ?? "",
      slicePorts(slice.ports ?? []),
      firstThree((slice.endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
      ageOf(slice, now),
    ],
  ),
  "flowschemas.flowcontrol.apiserver.k8s.io": printer(
    "Name|PriorityLevel|MatchingPrecedence|DistinguisherMethod|Age|MissingPL",
    flowSchemaCells,
  ),
  "ingressclasses.networking.k8s.io": printer("Name|Controller|Parameters|Age", ingressClassCells),
  "ingresses.networking.k8s.io": printer("Name|Class|Hosts|Address|Ports|Age", ingressCells),
  // Upstream gives one cell more than columns.
  "ipaddresses.networking.k8s.io": printer("Name|ParentRef", ipAddressCells),
  "leasecandidates.coordination.k8s.io": printer<candidates.LeaseCandidate>(
    "Name|LeaseName|BinaryVersion|EmulationVersion|Age",
    (object, now) => {
      const { leaseName = "", binaryVersion = "", emulationVersion = "" } = object.spec ?? {};
      return [nameOf(object), leaseName, binaryVersion, emulationVersion, ageOf(object, now)];
    },
  ),
  "leases.coordination.k8s.io": printer<coordination.Lease>("Name|Holder|Age", (lease, now) => [
    nameOf(lease),
    lease.spec?.holderIdentity ?? "",
    ageOf(lease, now),
  ]),
  "mutatingadmissionpolicies.admissionregistration.k8s.io": printer<admission.MutatingAdmissionPolicy>(
    "Name|Mutations:integer|ParamKind|Age",
    (object, now) => [
      nameOf(object),
      (object.spec?.mutations ?? []).length,
      paramKind(object.spec?.paramKind),
      ageOf(object, now),
    ],
  ),
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": binding,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
  "networkpolicies.networking.k8s.io": printer<networking.NetworkPolicy>("Name|Pod-Selector|Age", (policy, now) => [
    nameOf(policy),
    formatLabelSelector(policy.spec?.podSelector ?? {}),
    ageOf(policy, now),
  ]),
  "podcertificaterequests.certificates.k8s.io": printer<trust.PodCertificateRequest>(
    "Name|PodName|ServiceAccountName|NodeName|SignerName|State|UnverifiedUserAnnotations",
    (request) => {
      const { podName = "", serviceAccountName = "", nodeName = "", signerName = "" } = request.spec ?? {};
      const state = request.status?.conditions?.findLast(({ type }) =>
        ["Issued", "Denied", "Failed"].includes(type),
      )?.type;
      const annotations = formatLabels(request.spec?.unverifiedUserAnnotations);
      return [nameOf(request), podName, serviceAccountName, nodeName, signerName, state ?? "Pending", annotations];
    },
  ),
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": printer(
    "Name|Type|NominalConcurrencyShares|Queues|HandSize|QueueLengthLimit|Age",
    priorityLevelCells,
  ),
  "rolebindings.rbac.authorization.k8s.io": roleBinding,
  "runtimeclasses.node.k8s.io": printer<node.RuntimeClass>("Name|Handler|Age", (object, now) => [
    nameOf(object),
    object.handler ?? "",
    ageOf(object, now),
  ]),
  "servicecidrs.networking.k8s.io": printer<networking.ServiceCIDR>("Name|CIDRs|Age", (object, now) => [
    nameOf(object),
    (object.spec?.cidrs ?? []).join(","),
    ageOf(object, now),
  ]),
  "storageversionmigrations.storagemigration.k8s.io": printer<migration.StorageVersionMigration>(
    "Name!|Resource|Status",
    (object) => {
      const { resource = "", group } = object.spec?.resource ?? {};
      const done = object.status?.conditions?.findLast(
        ({ type, status }) => status === "True" && ["Running", "Failed", "Succeeded"].includes(type),
      );
      return [nameOf(object), group ? `${resource}.${group}` : resource, done?.type ?? "Unknown"];
    },
  ),
  "storageversions.internal.apiserver.k8s.io": printer<internal.StorageVersion>(
    "Name|CommonEncodingVersion|StorageVersions|Age",
    (object, now) => [
      nameOf(object),
      orUnset(object.status?.commonEncodingVersion),
      firstThree(
        (object.status?.storageVersions ?? []).map((v) => `${v.apiServerID ?? ""}=${v.encodingVersion ?? ""}`),
      ),
      ageOf(object, now),
    ],
  ),
  "validatingadmissionpolicies.admissionregistration.k8s.io": printer<admission.ValidatingAdmissionPolicy>(
    "Name|Validations:integer|ParamKind|Age",
    (object, now) => [
      nameOf(object),
      (object.spec?.validations ?? []).length,
      paramKind(object.spec?.paramKind),
      ageOf(object, now),
    ],
  ),
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": binding,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
};
