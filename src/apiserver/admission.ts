// Admission: mutating plugins run first, then validating plugins. They see objects in the stored version. Upstream:
// k8s.io/apiserver/pkg/admission

import type { DeleteOptions } from "#api/meta.ts";
import type { GroupVersionKind, GroupVersionResource, KubeObject } from "#api/object.ts";
import { type ApiError, newForbidden } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { EpochMs } from "#base/clock.ts";
import type { WriteOptions } from "./write-options.ts";

export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  /** The requested resource, whose version may differ from the stored one. */
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty until the name is generated. */
  readonly name: string;
  /** A mutating plugin assigns a changed copy. Undefined for deletions. */
  object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly options: WriteOptions | DeleteOptions;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  readonly now: EpochMs;
  addWarning(text: string): void;
  /** Annotations for the audit event. */
  addAuditAnnotation(key: string, value: string): void;
}

export interface AdmissionPlugin {
  readonly name: string;
  handles(attributes: AdmissionAttributes): boolean;
  /** May assign attributes.object; throws to refuse. */
  admit?(attributes: AdmissionAttributes, signal: AbortSignal): void | Promise<void>;
  /** Sees the object that will be stored; throws to refuse. */
  validate?(attributes: AdmissionAttributes, signal: AbortSignal): void | Promise<void>;
}

export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async admit(attributes: AdmissionAttributes, signal: AbortSignal): Promise<void> {
    for (const plugin of this.#plugins) {
      if (plugin.admit === undefined || !plugin.handles(attributes)) continue;
      const pending = plugin.admit(attributes, signal);
      if (pending !== undefined) await pending;
    }
  }

  async validate(attributes: AdmissionAttributes, signal: AbortSignal): Promise<void> {
    for (const plugin of this.#plugins) {
      if (plugin.validate === undefined || !plugin.handles(attributes)) continue;
      const pending = plugin.validate(attributes, signal);
      if (pending !== undefined) await pending;
    }
  }
}

/** The error with which a plugin refuses a write. Upstream: k8s.io/apiserver/pkg/admission/errors.go, NewForbidden */
export function admissionForbidden(attributes: AdmissionAttributes, cause: string): ApiError {
  const { name, generateName } = attributes.object?.metadata ?? {};
  return newForbidden(attributes.resource, attributes.name || name || generateName || "Unknown", cause);
}
