// Subresources that are posted to: their body is an object of its own kind, answered with a Status.

import { goTypeOfKind } from "#api/go-layout.ts";
import type { Status } from "#api/meta.ts";
import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import { schemaOf } from "#api/schema-table.ts";
import { assert } from "#base/assert.ts";
import { metadataLabels } from "../builtin/field-labels.ts";
import { admissionAttributes, type ResourceCall, type ServerCore } from "../core.ts";
import { decodeObject } from "../decoding/decode-object.ts";
import { readBody } from "../decoding/request-body.ts";
import { zeroObject } from "../decoding/struct-index.ts";
import { decodeTyped } from "../decoding/typed-decoding.ts";
import type { KindVersion } from "../registry.ts";
import { matchNamespace } from "../write/namespace-match.ts";
import { parseWriteOptions, type WriteOptions } from "../write-options.ts";

type BodyKind = GroupVersionKind & Pick<KindVersion, "alsoReads">;

export interface CreatedBody {
  readonly object: KubeObject;
  readonly options: WriteOptions;
}

/** Reads the body as the given kind, and lets admission see it. */
export async function readCreated(
  core: ServerCore,
  call: ResourceCall,
  kind: BodyKind,
  signal: AbortSignal,
): Promise<CreatedBody> {
  const body = await readBody(call.context.request, core.limits.bodyBytesMax);
  const options = parseWriteOptions(call.context.query, "CreateOptions");
  const decoded = decodeObject(call, body, options.fieldValidation, bodyVersion(kind));
  const object = matchNamespace(decoded, call.endpoint.row.namespaced ? call.namespace : "");
  const attributes = { ...admissionAttributes(call, "CREATE", options, { object }), kind };
  await core.admission.admit(attributes, signal);
  await core.admission.validate(attributes, signal);
  return { object: attributes.object ?? object, options };
}

const versions = new Map<string, KindVersion>();
const identity = (object: KubeObject): KubeObject => object;

/** A kind that is only ever the body of a request. */
export function bodyVersion(kind: BodyKind): KindVersion {
  const name = `${kind.group}/${kind.version}/${kind.kind}`;
  let version = versions.get(name);
  if (version === undefined) {
    const goType = goTypeOfKind(kind);
    assert(goType !== undefined, `${name} has no Go type`);
    version = {
      ...kind,
      listKind: `${kind.kind}List`,
      verbs: ["create"],
      subresources: [],
      storageVersionHash: "",
      schema: () => schemaOf(kind),
      decode: (value, wording) => decodeTyped(goType, value, wording),
      goType,
      zero: () => zeroObject(goType),
      toStored: identity,
      fromStored: identity,
      applyDefaults: identity,
      fieldLabels: metadataLabels,
    };
    versions.set(name, version);
  }
  return version;
}

export const created: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
