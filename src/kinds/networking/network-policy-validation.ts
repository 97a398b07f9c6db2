// Validation of network policies. Upstream: pkg/apis/networking/validation, ValidateNetworkPolicy

import * as field from "#api/field-error.ts";
import type * as networking from "#api/generated/types/networking-v1.ts";
import { isDns1123Subdomain, isPortName, isPortNumber } from "#api/names.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import {
  type Errors,
  hasLabelSelectorErrors,
  labelSelector,
  legacyCidr,
  name,
  oneOf,
  type Path,
} from "#kinds/parts/checks.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { type ParsedCidr, parseSloppyCidr } from "#rules/ip.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const POLICY_TYPES = ["Ingress", "Egress"];

interface PolicyOptions {
  readonly allowInvalidLabelValues: boolean;
  readonly isStrict: boolean;
  /** CIDRs of the old policy, which are not checked again. */
  readonly knownCidrs: readonly string[];
}

interface PlacedPeer {
  readonly peer: networking.NetworkPolicyPeer;
  readonly path: Path;
}

interface Direction {
  readonly path: Path;
  readonly ports: readonly networking.NetworkPolicyPort[];
  readonly peers: readonly PlacedPeer[];
}

/** The rules of both directions, in upstream's order. */
function directionsOf({ ingress = [], egress = [] }: networking.NetworkPolicySpec): readonly Direction[] {
  const direction = (path: Path, list: string, ports: Direction["ports"] = [], peers: PlacedPeer["peer"][]) => ({
    path,
    ports,
    peers: peers.map((peer, i) => ({ peer, path: path.child(list).index(i) })),
  });
  return [
    ...ingress.map(({ ports, from = [] }, i) => direction(SPEC.child("ingress").index(i), "from", ports, [...from])),
    ...egress.map(({ ports, to = [] }, i) => direction(SPEC.child("egress").index(i), "to", ports, [...to])),
  ];
}

export const peersOf = (spec: networking.NetworkPolicySpec): readonly PlacedPeer[] =>
  directionsOf(spec).flatMap(({ peers }) => peers);

export function validateNetworkPolicy(policy: networking.NetworkPolicy, gates: FeatureGateReader): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, policy.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  const isStrict = gates.isEnabled("StrictIPCIDRValidation");
  policySpec(errors, policy.spec ?? {}, { allowInvalidLabelValues: false, isStrict, knownCidrs: [] });
  return errors;
}

export function validateNetworkPolicyUpdate(
  policy: networking.NetworkPolicy,
  old: networking.NetworkPolicy,
  gates: FeatureGateReader,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, policy.metadata ?? {}, old.metadata ?? {}, METADATA);
  policySpec(errors, policy.spec ?? {}, {
    allowInvalidLabelValues: hasLabelSelectorErrors(old.spec?.podSelector),
    isStrict: gates.isEnabled("StrictIPCIDRValidation"),
    knownCidrs: peersOf(old.spec ?? {}).flatMap(({ peer: { ipBlock } }) =>
      ipBlock ? [ipBlock.cidr ?? "", ...(ipBlock.except ?? [])] : [],
    ),
  });
  return errors;
}

function policySpec(errors: Errors, spec: networking.NetworkPolicySpec, opts: PolicyOptions): void {
  labelSelector(errors, spec.podSelector, SPEC.child("podSelector"), opts.allowInvalidLabelValues);
  for (const { path, ports, peers } of directionsOf(spec)) {
    ports.forEach((one, i) => {
      policyPort(errors, one, path.child("ports").index(i));
    });
    for (const { peer, path: peerPath } of peers) policyPeer(errors, peer, peerPath, opts);
  }
  const { policyTypes = [] } = spec;
  const typesPath = SPEC.child("policyTypes");
  if (policyTypes.length > POLICY_TYPES.length) {
    errors.push(field.invalid(typesPath, policyTypes, "may not specify more than two policyTypes"));
    return;
  }
  policyTypes.forEach((type, i) => {
    oneOf(errors, type, typesPath.index(i), POLICY_TYPES);
  });
}

function policyPort(errors: Errors, { protocol, port, endPort }: networking.NetworkPolicyPort, path: Path): void {
  const endPath = path.child("endPort");
  const number = (value: number, at: Path): void => {
    for (const message of isPortNumber(value)) errors.push(field.invalid(at, value, message));
  };
  if (protocol !== undefined) oneOf(errors, protocol, path.child("protocol"), ["TCP", "UDP", "SCTP"]);
  if (port === undefined) {
    if (endPort !== undefined) {
      errors.push(field.invalid(endPath, endPort, "may not be specified when `port` is not specified"));
    }
  } else if (typeof port === "number") {
    number(port, path.child("port"));
    if (endPort === undefined) return;
    // As upstream, the error shows `port`, not `endPort`.
    if (endPort < port) errors.push(field.invalid(endPath, port, "must be greater than or equal to `port`"));
    number(endPort, endPath);
  } else {
    if (endPort !== undefined) {
      errors.push(field.invalid(endPath, endPort, "may not be specified when `port` is non-numeric"));
    }
    name(errors, port, path.child("port"), isPortName);
  }
}

function policyPeer(errors: Errors, peer: networking.NetworkPolicyPeer, path: Path, opts: PolicyOptions): void {
  const { podSelector, namespaceSelector, ipBlock: block } = peer;
  labelSelector(errors, podSelector, path.child("podSelector"), opts.allowInvalidLabelValues);
  labelSelector(errors, namespaceSelector, path.child("namespaceSelector"), opts.allowInvalidLabelValues);
  if (block) ipBlock(errors, block, path.child("ipBlock"), opts);
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!hasSelector && !block) errors.push(field.required(path, "must specify a peer"));
  if (hasSelector && block) errors.push(field.forbidden(path, "may not specify both ipBlock and another peer"));
}

function ipBlock(errors: Errors, block: networking.IPBlock, path: Path, opts: PolicyOptions): void {
  const { cidr: text = "", except = [] } = block;
  const check = (value: string, at: Path): ParsedCidr | undefined => {
    if (!opts.knownCidrs.includes(value)) legacyCidr(errors, value, at, opts.isStrict);
    return parseSloppyCidr(value);
  };
  if (text === "") {
    errors.push(field.required(path.child("cidr"), ""));
    return;
  }
  const cidr = check(text, path.child("cidr"));
  if (cidr === undefined) return;
  except.forEach((value, i) => {
    const at = path.child("except").index(i);
    const part = check(value, at);
    if (part !== undefined && !isStrictSubset(part, cidr)) {
      errors.push(field.invalid(at, value, "must be a strict subset of `cidr`"));
    }
  });
}

function isStrictSubset(part: ParsedCidr, whole: ParsedCidr): boolean {
  if (part.family !== whole.family || whole.prefixLength >= part.prefixLength) return false;
  return maskedBytes(part, bitsOf(whole)) === maskedBytes(whole, bitsOf(whole));
}

/** The prefix length; for an IPv4-mapped address without the 96 bits before it. */
const bitsOf = ({ prefixLength, isMapped }: ParsedCidr): number => (isMapped ? prefixLength - 96 : prefixLength);

function maskedBytes(cidr: ParsedCidr, bits: number): string {
  const kept = Math.min(bits, bitsOf(cidr));
  return cidr.bytes.map((byte, i) => byte & (0xff << (8 - Math.max(0, Math.min(8, kept - i * 8)))) & 0xff).join(".");
}
