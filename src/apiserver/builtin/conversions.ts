// Conversion between the versions of a built-in kind. Most differ only in apiVersion; the kind defines the others.

import { goTypeOfKind } from "#api/go-layout.ts";
import { apiVersionOf, type GroupVersionKind, type KubeObject } from "#api/object.ts";
import { decodeTyped } from "#api/typed-decoding.ts";
import type { Conversion, Kind } from "#kinds/kind.ts";

const identity = (object: KubeObject): KubeObject => object;

export function conversionBetween(kind: Kind, version: GroupVersionKind, stored: GroupVersionKind): Conversion {
  const own = apiVersionOf(version);
  const inStore = apiVersionOf(stored);
  if (own === inStore) return { toStored: kind.fillAliases ?? identity, fromStored: identity };
  const conversion = kind.conversions?.[own];
  if (conversion !== undefined) return normalised(conversion, version, stored);
  return {
    toStored: (object) => ({ ...object, apiVersion: inStore, kind: stored.kind }),
    fromStored: (object) => ({ ...object, apiVersion: own, kind: version.kind }),
  };
}

/** Decodes the result into its Go type, because versions differ in which empty fields they omit. */
function normalised(
  { toStored, fromStored }: Conversion,
  version: GroupVersionKind,
  stored: GroupVersionKind,
): Conversion {
  const inType = (gvk: GroupVersionKind, object: KubeObject): KubeObject => {
    const goType = goTypeOfKind(gvk);
    return goType === undefined ? object : (decodeTyped(goType, object).value as KubeObject);
  };
  return {
    toStored: (object) => inType(stored, toStored(object)),
    fromStored: (object) => inType(version, fromStored(object)),
  };
}
