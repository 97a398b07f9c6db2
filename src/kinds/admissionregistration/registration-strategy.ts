// The strategy shared by webhook configurations, policies and bindings: a generation that counts changes, and names
// reserved for manifests on the API server's machine.
// Upstream: pkg/registry/admissionregistration/*/strategy.go; pkg/apis/admissionregistration/validation/static_suffix.go

import * as field from "#api/field-error.ts";
import type { KubeObject } from "#api/object.ts";
import type { Errors } from "#kinds/parts/checks.ts";
import { countChange, firstGeneration, put } from "#kinds/parts/preparing.ts";
import { type KindStrategy, kindStrategy } from "#kinds/strategy.ts";

/** Deviation: a warning on each write, because this server stores these objects but does not enforce them. */
export const NOT_ENFORCED = "this server stores admission webhooks and policies and does not enforce them";

const STATIC_SUFFIX = ".static.k8s.io";
const STATIC_GATE = "ManifestBasedAdmissionControlConfig";
const RESERVED = `names ending with "${STATIC_SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`;

const isReserved = ({ metadata }: KubeObject): boolean => metadata?.name?.endsWith(STATIC_SUFFIX) === true;

export const reservedWarnings = (object: KubeObject): string[] =>
  isReserved(object) ? [`metadata.name: ${RESERVED}`] : [];

interface Rules<T extends KubeObject> {
  /** The field whose changes the generation counts. */
  readonly counted: keyof T;
  validate(object: T, old?: T): Errors;
  readonly subresources?: KindStrategy<T>["subresources"];
}

/** If there is a status subresource, other writes keep the old status. */
export function registrationStrategy<T extends KubeObject & { readonly status?: unknown }>({
  counted,
  validate,
  subresources,
}: Rules<T>): KindStrategy<T> {
  const hasStatus = subresources !== undefined;
  return kindStrategy<T>({
    allowUnconditionalUpdate: false,
    prepareForCreate: (object) => firstGeneration(hasStatus ? put(object, "status", {} as T["status"]) : object),
    prepareForUpdate: (object, old) =>
      countChange(hasStatus ? put(object, "status", old.status) : object, old, counted),
    validate(object, { gates }) {
      const errors = validate(object);
      if (gates.isEnabled(STATIC_GATE) && isReserved(object)) {
        errors.push(field.invalid(field.newPath("metadata", "name"), object.metadata?.name ?? "", RESERVED));
      }
      return errors;
    },
    warningsOnCreate: (object, { gates }) => (gates.isEnabled(STATIC_GATE) ? [] : reservedWarnings(object)),
    validateUpdate: (object, old) => validate(object, old),
    warningsOnUpdate: reservedWarnings,
    ...(hasStatus && { resetFields: [["status"]], subresources }),
  });
}
