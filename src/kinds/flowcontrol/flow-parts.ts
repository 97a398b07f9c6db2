// How the status of flow schemas and priority levels is written and validated.

import * as field from "#api/field-error.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import type { Errors } from "#kinds/parts/checks.ts";
import { put } from "#kinds/parts/preparing.ts";
import type { UpdateStrategy } from "#kinds/strategy.ts";

const CONDITIONS = field.newPath("status", "conditions");

interface WithConditions {
  readonly conditions?: readonly { readonly type?: string }[];
}

export function flowConditions(errors: Errors, { conditions = [] }: WithConditions = {}): void {
  const seen = new Set<string>();
  conditions.forEach(({ type = "" }, i) => {
    const path = CONDITIONS.index(i).child("type");
    if (seen.has(type)) errors.push(field.duplicate(path, type));
    seen.add(type);
    if (type === "") errors.push(field.required(path, ""));
  });
}

/** A write to the status subresource changes only the status and managedFields. */
export function flowStatusStrategy<
  T extends KubeObject & { readonly spec?: unknown; readonly status?: WithConditions },
>(): UpdateStrategy<T> {
  return {
    prepareForUpdate: (object, old) => ({
      ...put(object, "spec", old.spec),
      metadata: put<ObjectMeta, "managedFields">(old.metadata ?? {}, "managedFields", object.metadata?.managedFields),
    }),
    validateUpdate: ({ status }) => {
      const errors: Errors = [];
      flowConditions(errors, status);
      return errors;
    },
    resetFields: [["metadata"], ["spec"]],
  };
}
