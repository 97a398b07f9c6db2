// The fixed data for applying to one kind through one endpoint, created once and kept by the server.

import { apiVersionOf, type GroupVersionKind } from "#api/object.ts";
import type { JsonObject } from "#api/patch/json-value.ts";
import type { Schema } from "#api/schema.ts";
import { type Atom, atomOf } from "./atoms.ts";
import type { FieldFilter } from "./filters.ts";
import { type Identity, identify } from "./owners.ts";
import { Shapes } from "./shapes.ts";
import { validate } from "./typed-value.ts";

export interface ApplyKindOptions {
  readonly gvk: GroupVersionKind;
  /** Custom resources: see withObjectMeta. */
  readonly schema: Schema;
  /** Absent for the resource itself. */
  readonly subresource?: string;
  /** An object of the kind with no field set, see zeroObject; apiVersion and kind are added. */
  readonly zero?: JsonObject;
  /** By apiVersion: the fields that have no owner at this endpoint. */
  readonly resetFields?: Readonly<Record<string, FieldFilter>>;
  /** For kinds with several versions. */
  readonly otherVersions?: OtherVersions;
}

/** Both return undefined for a version that is no longer served: its owners are dropped. */
export interface OtherVersions {
  schemaOf(apiVersion: string): Schema | undefined;
  convert(object: JsonObject, apiVersion: string): JsonObject | undefined;
}

export interface ApplyKind {
  readonly gvk: GroupVersionKind;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly atom: Atom;
  readonly zero: JsonObject;
  readonly resetFields: Readonly<Record<string, FieldFilter>>;
  readonly otherVersions: OtherVersions | undefined;
  readonly shapes: Shapes;
  /** The known managers as owners; see identityOf. */
  readonly identities: Map<string, Identity>;
}

export function applyKind(options: ApplyKindOptions): ApplyKind {
  const { gvk, schema, subresource = "", resetFields = {}, otherVersions } = options;
  const apiVersion = apiVersionOf(gvk);
  const atom = atomOf(schema);
  const zero = { ...options.zero, apiVersion, kind: gvk.kind };
  const shapes = new Shapes(atom, zero, resetFields[apiVersion]);
  return { gvk, apiVersion, subresource, atom, zero, resetFields, otherVersions, shapes, identities: new Map() };
}

/** Far more than the managers of a cluster; beyond it the oldest are dropped and created again when needed. */
const identitiesMax = 1024;

/** A manager as an owner through this endpoint. */
export function identityOf(kind: ApplyKind, manager: string, applied: boolean): Identity {
  const key = applied ? `+${manager}` : manager;
  let identity = kind.identities.get(key);
  if (identity === undefined) {
    identity = identify(manager === "" ? "unknown" : manager, applied, kind.apiVersion, kind.subresource);
    if (kind.identities.size >= identitiesMax) kind.identities.clear();
    kind.identities.set(key, identity);
  }
  return identity;
}

/** An object with the type of the version it is in. */
export interface Versioned {
  readonly object: JsonObject;
  readonly atom: Atom;
}

/** Undefined if the version is not served. Throws TypedError, as upstream, if a converted list has duplicates. */
export function inVersion(kind: ApplyKind, object: JsonObject, apiVersion: string): Versioned | undefined {
  const atom = atomOfVersion(kind, apiVersion);
  if (atom === undefined) return undefined;
  if (object.apiVersion === apiVersion) return { object, atom };
  const converted = kind.otherVersions?.convert(object, apiVersion);
  if (converted === undefined) return undefined;
  validate(atom, converted, false);
  return { object: converted, atom };
}

export function atomOfVersion(kind: ApplyKind, apiVersion: string): Atom | undefined {
  if (apiVersion === kind.apiVersion) return kind.atom;
  const schema = kind.otherVersions?.schemaOf(apiVersion);
  return schema === undefined ? undefined : atomOf(schema);
}
