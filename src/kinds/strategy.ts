// What a kind decides about its own writes. The API server's generic verbs call these functions in
// a fixed order: prepare, validate, warn, canonicalize. Objects are in the kind's stored version,
// already defaulted, possibly frozen: each function returns the object to go on with.
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
  /** The request's time: read once, so that all rules of one write see the same. */
  readonly now: EpochMs;
  readonly rng: Rng;
  readonly user: UserInfo;
  readonly gates: FeatureGateReader;
  readonly dryRun: boolean;
  /** The group and version that the request named; rules of kinds served by two groups depend on it. */
  readonly groupVersion?: { readonly group: string; readonly version: string };
  /** Absent: certificates and keys are not looked into. */
  readonly keyReader?: KeyReader | undefined;
  /** Absent: UTC is the only zone. */
  readonly timeZones?: TimeZones | undefined;
  /** The stored Namespace of that name, if there is one. */
  namespace?(name: string): KubeObject | undefined;
}

/** What the user of a request may do beyond the request itself. */
export interface WriteAccess {
  readonly user: UserInfo;
  readonly verb: string;
  /** Of another subresource of the kind. Undefined: the user may; otherwise the words of the refusal. */
  refusal(asked: AskedAccess): Promise<string | undefined>;
}

export interface AskedAccess {
  readonly verb: string;
  readonly subresource: string;
  /** "" is the whole cluster. */
  readonly namespace: string;
  /** "" is any name. */
  readonly name: string;
}

/** The rules of an update: of the main resource, or of one subresource that writes the same object. */
export interface UpdateStrategy<T extends KubeObject = KubeObject> {
  /** Undoes what this request may not change and sets what only the server may set. */
  prepareForUpdate(object: T, old: T, ctx: StrategyContext): T;
  /** What the user would need further rights for, told before all other errors. */
  authorizeUpdate?(object: T, old: T, access: WriteAccess, ctx: StrategyContext): Promise<FieldError[]>;
  validateUpdate(object: T, old: T, ctx: StrategyContext): FieldError[];
  warningsOnUpdate?(object: T, old: T, ctx: StrategyContext): string[];
  /**
   * Fields that prepareForUpdate takes back, as paths; the manager of a request never owns them.
   * In `resetFieldsFilter` the paths are those that the request may own, all else is reset; "*" is any one element.
   */
  readonly resetFields?: readonly FieldSetPath[];
  readonly resetFieldsFilter?: readonly FieldSetPath[];
}

export type FieldSetPath = readonly string[];

export interface KindStrategy<T extends KubeObject = KubeObject> extends UpdateStrategy<T> {
  /** PUT of a name that does not exist creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** PUT without a resourceVersion overwrites. */
  readonly allowUnconditionalUpdate: boolean;
  prepareForCreate(object: T, ctx: StrategyContext): T;
  validate(object: T, ctx: StrategyContext): FieldError[];
  warningsOnCreate?(object: T, ctx: StrategyContext): string[];
  /** Runs after validation, before storing, on create and update. */
  canonicalize?(object: T): T;
  /** Upstream stored less than a read of the object gives, so its next write is a change even if nothing differs. */
  isStoredInPart?(stored: T): boolean;
  /** Subresources that PUT and PATCH the stored object itself: status, finalize, ephemeralcontainers, resize, approval. */
  readonly subresources: Readonly<Record<string, UpdateStrategy<T>>>;
  /** Absent: a delete without finalizers takes effect at once. */
  readonly gracefulDelete?: GracefulDelete<T>;
  /** What a delete without propagation policy does to dependents. */
  readonly defaultPropagation: "Background" | "Orphan" | "Unsupported";
}

export interface GracefulDelete<T extends KubeObject = KubeObject> {
  /** The grace period of this delete; undefined when the kind does not delete gracefully. */
  checkGracefulDelete(object: T, options: DeleteOptions, ctx: StrategyContext): Int64 | undefined;
}

/** What a kind must say for itself. The rest is what most kinds have. */
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

/** Of kinds that are answered and never stored: their hooks say what is wrong with them. */
export const neverStored: KindStrategy = kindStrategy<KubeObject>({ validate: () => [], validateUpdate: () => [] });
