// Compares the kind of a body with the expected kind, with upstream's errors.

import { goTypeOfKind } from "#api/go-layout.ts";
import { apiVersionOf, type GroupVersionKind, parseApiVersion } from "#api/object.ts";
import { jsonKind } from "#api/patch/json-value.ts";
import { goPackageOf } from "../go-package.ts";

export type GivenKind =
  /** The expected kind, or none given. */
  | { readonly kind: "expected" }
  /** The kind cannot be parsed. */
  | { readonly kind: "unreadable"; readonly error: string }
  /** The same kind in another version. */
  | { readonly kind: "otherVersion"; readonly given: GroupVersionKind }
  | { readonly kind: "other"; readonly given: GroupVersionKind; readonly error: string };

const KIND_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const UNREADABLE = "couldn't get version/kind; json parse error: json: cannot unmarshal";

export function givenKind(value: unknown, expected: GroupVersionKind): GivenKind {
  if (value === null) return { kind: "expected" };
  if (typeof value !== "object" || Array.isArray(value)) {
    return { kind: "unreadable", error: `${UNREADABLE} ${jsonKind(value)} into Go value of type ${KIND_STRUCT}` };
  }
  const { kind, apiVersion } = value as { kind?: unknown; apiVersion?: unknown };
  for (const [name, given] of [
    ["apiVersion", apiVersion],
    ["kind", kind],
  ] as const) {
    if (given === undefined || given === null || typeof given === "string") continue;
    return {
      kind: "unreadable",
      error: `${UNREADABLE} ${jsonKind(given)} into Go struct field .${name} of type string`,
    };
  }
  const text = (apiVersion as string | null | undefined) || apiVersionOf(expected);
  if (text.split("/").length > 2) return { kind: "unreadable", error: `unexpected GroupVersion string: ${text}` };
  return compare({ ...parseApiVersion(text), kind: (kind as string | null | undefined) || expected.kind }, expected);
}

function compare(given: GroupVersionKind, expected: GroupVersionKind): GivenKind {
  const text = apiVersionOf(given);
  if (text === apiVersionOf(expected) && given.kind === expected.kind) return { kind: "expected" };
  const isRegistered = goTypeOfKind(given) !== undefined;
  if (isRegistered && given.kind === expected.kind) return { kind: "otherVersion", given };
  // Both groups of events share one internal type.
  const goPackage = expected.kind === "Event" ? "core" : goPackageOf(expected.group);
  const version = UNVERSIONED.has(given.kind) ? "v1" : given.version;
  const error = isRegistered
    ? `converting (${version}.${given.kind}) to (${goPackage}.${expected.kind}): unknown conversion`
    : notRegistered(given.kind, text);
  return { kind: "other", given, error };
}

/** Kinds that are the same in every version. */
const UNVERSIONED: ReadonlySet<string> = new Set([
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
  "Status",
]);

export function notRegistered(kind: string, apiVersion: string): string {
  return `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
}
