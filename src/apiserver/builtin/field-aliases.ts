// Fields that have a second name or form: whoever writes one has written both.
// Upstream: pkg/apis/core/v1/conversion.go

import { encodeBase64 } from "#api/base64.ts";
import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import { podSpecAliases } from "./pod-spec-aliases.ts";

type Change = (object: KubeObject) => KubeObject;

/** Undefined: a kind without such fields. */
export function fieldAliases(kind: GroupVersionKind): Change | undefined {
  if (kind.group === "" && kind.kind === "Secret") return withTextAsData as Change;
  if (kind.group === "" && kind.kind === "Node") return withBothCidrs as Change;
  return podSpecAliases(kind);
}

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
