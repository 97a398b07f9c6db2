// A kind's rules for writes. The API server's generic verbs call these functions in a fixed order: prepare, validate,
// warn, canonicalize. Objects are in the kind's stored version, defaulted, and possibly frozen: each function returns
// the object to continue with.
// Upstream: apiserver pkg/registry/rest, RESTCreateStrategy, RESTUpdateStrategy, RESTDeleteStrategy

import type { FieldError } from "#api/field-error.ts";
import type { Int64 } from "#api/int64.ts";
import type { DeleteOptions } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { EpochMs } from "#base/clock.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { Rng } from "#base/rng.ts";
import type { TimeZones } from "#base/time-zones.ts";
import type { KeyReader } from "#kinds/core/tls-secret.ts";

export interface StrategyContext {
  /** The request's time, read once, so that all rules of one write see the same. */
  readonly now: EpochMs;
  readonly rng: Rng;
  readonly user: UserInfo;
  readonly gates: FeatureGateReader;
  readonly dryRun: boolean;
  /** The requested group and version, for kinds that two groups serve. */
  readonly groupVersion?: { readonly group: string; readonly version: string };
  /** Absent: certificates and keys are not parsed. */
  readonly keyReader?: KeyReader | undefined;
  /** Absent: UTC is the only zone. */
  readonly timeZones?: TimeZones | undefined;
  /** The stored Namespace with this name, if it exists. */
  namespace?(name: string): KubeObject | undefined;
}

/** Further permissions of the requesting user. */
export interface WriteAccess {
  readonly user: UserInfo;
  readonly verb: string;
  /** Checks access to another subresource of the kind. Undefined if allowed; otherwise the reason for the refusal. */
  refusal(asked: AskedAccess): Promise<string | undefined>;
}

export interface AskedAccess {
  readonly verb: string;
  readonly subresource: string;
  /** "" means the whole cluster. */
  readonly namespace: string;
  /** "" means any name. */
  readonly name: string;
}

/** The rules for an update of the main resource, or of a subresource that writes the same object. */
export interface UpdateStrategy<T extends KubeObject = KubeObject> {
  /** Reverts fields that this request may not change, and sets fields that only the server may set. */
  prepareForUpdate(object: T, old: T, ctx: StrategyContext): T;
  /** Checks further permissions that the change needs. These errors are reported before all others. */
  authorizeUpdate?(object: T, old: T, access: WriteAccess, ctx: StrategyContext): Promise<FieldError[]>;
  validateUpdate(object: T, old: T, ctx: StrategyContext): FieldError[];
  warningsOnUpdate?(object: T, old: T, ctx: StrategyContext): string[];
  /**
   * Paths of fields that prepareForUpdate reverts; the manager of a request never owns them. With `resetFieldsFilter`
   * the paths are the only ones that the request may own; "*" matches any one element.
   */
  readonly resetFields?: readonly FieldSetPath[];
  readonly resetFieldsFilter?: readonly FieldSetPath[];
}

export type FieldSetPath = readonly string[];

export interface KindStrategy<T extends KubeObject = KubeObject> extends UpdateStrategy<T> {
  /** PUT with an unknown name creates the object. */
  readonly allowCreateOnUpdate: boolean;
  /** PUT without a resourceVersion overwrites. */
  readonly allowUnconditionalUpdate: boolean;
  prepareForCreate(object: T, ctx: StrategyContext): T;
  validate(object: T, ctx: StrategyContext): FieldError[];
  warningsOnCreate?(object: T, ctx: StrategyContext): string[];
  /** Runs after validation, before storing, on create and update. */
  canonicalize?(object: T): T;
  /** Upstream stores less than a read returns, so the next write counts as a change even if nothing differs. */
  isStoredInPart?(stored: T): boolean;
  /** Subresources that write the stored object: status, finalize, ephemeralcontainers, resize, approval. */
  readonly subresources: Readonly<Record<string, UpdateStrategy<T>>>;
  /** Absent: a delete without finalizers removes the object at once. */
  readonly gracefulDelete?: GracefulDelete<T>;
  /** The default propagation policy of a delete. */
  readonly defaultPropagation: "Background" | "Orphan" | "Unsupported";
}

export interface GracefulDelete<T extends KubeObject = KubeObject> {
  /** The grace period of this delete; undefined if the object is not deleted gracefully. */
  checkGracefulDelete(object: T, options: DeleteOptions, ctx: StrategyContext): Int64 | undefined;
}

/** The required parts of a strategy. The rest has defaults. */
type StatedStrategy<T extends KubeObject> = Pick<KindStrategy<T>, "validate" | "validateUpdate"> &
  Partial<KindStrategy<T>>;

const identity = <T>(object: T): T => object;

const USUAL = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  prepareForCreate: identity,
  prepareForUpdate: identity,
  subresources: {},
} as const;

export function kindStrategy<T extends KubeObject>(stated: StatedStrategy<T>): KindStrategy<T> {
  return { ...USUAL, ...stated };
}

/** For kinds that are never stored. Their hooks validate them. */
export const neverStored: KindStrategy = kindStrategy<KubeObject>({ validate: () => [], validateUpdate: () => [] });
