// Fields that have a second name or form: whoever writes one has written both.
// Upstream: pkg/apis/core/v1/conversion.go, pkg/apis/apps/v1/conversion.go

import { encodeBase64 } from "#api/base64.ts";
import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import { withMeta } from "../object-meta.ts";
import { podSpecAliases } from "./pod-spec-aliases.ts";

type Change = (object: KubeObject) => KubeObject;

/** Undefined: a kind without such fields. */
export function fieldAliases(kind: GroupVersionKind): Change | undefined {
  if (kind.group === "" && kind.kind === "Secret") return withTextAsData as Change;
  if (kind.group === "" && kind.kind === "Node") return withBothCidrs as Change;
  const ofPods = podSpecAliases(kind);
  const own = kind.group === "apps" ? OF_APPS[kind.kind] : undefined;
  return own && ofPods ? (object) => own(ofPods(object)) : ofPods;
}

const OF_APPS: Readonly<Record<string, Change>> = {
  __proto__: null as never,
  StatefulSet: withTypedClaims as Change,
  DaemonSet: withTemplateGeneration,
};

interface StatefulSet extends KubeObject {
  readonly spec?: { readonly volumeClaimTemplates?: readonly KubeObject[] };
}

/** Upstream: Convert_apps_StatefulSetSpec_To_v1_StatefulSetSpec */
function withTypedClaims(set: StatefulSet): StatefulSet {
  const { volumeClaimTemplates: claims = [] } = set.spec ?? {};
  const type = { kind: "PersistentVolumeClaim", apiVersion: "v1" };
  if (claims.every(({ kind, apiVersion }) => kind === type.kind && apiVersion === type.apiVersion)) return set;
  return { ...set, spec: { ...set.spec, volumeClaimTemplates: claims.map((claim) => ({ ...claim, ...type })) } };
}

/** Of which every writer becomes an owner. Upstream: Convert_apps_DaemonSet_To_v1_DaemonSet */
function withTemplateGeneration(set: KubeObject): KubeObject {
  const { annotations } = set.metadata ?? {};
  if (annotations?.[TEMPLATE_GENERATION] !== undefined) return set;
  return withMeta(set, { annotations: { ...annotations, [TEMPLATE_GENERATION]: "0" } });
}

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

/** What is given as text is kept as data, and wins. Upstream: Convert_v1_Secret_To_core_Secret */
function withTextAsData(secret: Secret): Secret {
  if (secret.stringData === undefined) return secret;
  const { stringData, ...rest } = secret;
  const entries = Object.entries(stringData).map(([key, text]) => [key, encodeBase64(new TextEncoder().encode(text))]);
  return entries.length === 0 ? rest : { ...rest, data: { ...rest.data, ...Object.fromEntries(entries) } };
}

interface Node extends KubeObject {
  readonly spec?: { readonly podCIDR?: string; readonly podCIDRs?: readonly string[] };
}

/** The old single range is the first of the list. Upstream: Convert_v1_NodeSpec_To_core_NodeSpec and back */
function withBothCidrs(node: Node): Node {
  const { podCIDR = "", podCIDRs = [] } = node.spec ?? {};
  if (podCIDR === (podCIDRs[0] ?? "")) return node;
  const cidrs = podCIDR === "" ? podCIDRs : [podCIDR];
  return { ...node, spec: { ...node.spec, podCIDR: cidrs[0] as string, podCIDRs: cidrs } };
}
