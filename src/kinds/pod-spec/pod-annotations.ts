// Validation of pod annotations. Upstream: pkg/apis/core/validation, ValidatePodSpecificAnnotations,
// validateSeccompAnnotationsAndFields, validateAppArmorAnnotationsAndFieldsMatchOnCreate

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { parseExactJson } from "#api/json.ts";
import type { Errors, Path, StringMap } from "#kinds/parts/checks.ts";
import { descendingPath } from "./file-paths.ts";
import { hasValidDeletionCost, type PodOptions } from "./pod-options.ts";
import { tolerations } from "./tolerations.ts";
import { eachContainer } from "./windows.ts";

export const MIRROR_POD = "kubernetes.io/config.mirror";
const TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";

export function podAnnotations(
  errors: Errors,
  annotations: StringMap = {},
  spec: core.PodSpec,
  path: Path,
  opts: PodOptions,
): void {
  const mirror = annotations[MIRROR_POD];
  if (mirror !== undefined && !spec.nodeName) {
    const detail = "must set spec.nodeName if mirror pod annotation is set";
    errors.push(field.invalid(path.key(MIRROR_POD), mirror, detail));
  }
  if (annotations[TOLERATIONS]) annotatedTolerations(errors, annotations[TOLERATIONS], path, opts);
  if (!opts.allowInvalidDeletionCost && !hasValidDeletionCost(annotations)) {
    errors.push(field.invalid(path.key(DELETION_COST), annotations[DELETION_COST], "must be a 32bit integer"));
  }
  for (const key in annotations) {
    if (key === SECCOMP_POD || key.startsWith(SECCOMP_CONTAINER)) {
      seccompAnnotation(errors, annotations[key] ?? "", path.child(key));
    }
  }
  for (const key in annotations) {
    if (key.startsWith(APP_ARMOR)) appArmorAnnotation(errors, key, annotations[key] ?? "", spec, path);
  }
}

function annotatedTolerations(errors: Errors, text: string, path: Path, opts: PodOptions): void {
  let list: unknown;
  try {
    list = parseExactJson(text);
  } catch (error) {
    errors.push(field.invalid(path, TOLERATIONS, error instanceof Error ? error.message : String(error)));
    return;
  }
  if (Array.isArray(list)) tolerations(errors, list as core.Toleration[], path.child(TOLERATIONS), opts);
}

function seccompAnnotation(errors: Errors, profile: string, path: Path): void {
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return;
  if (profile.startsWith("localhost/")) descendingPath(errors, profile.slice("localhost/".length), path);
  else errors.push(field.invalid(path, profile, "must be a valid seccomp profile"));
}

function appArmorAnnotation(errors: Errors, key: string, profile: string, spec: core.PodSpec, path: Path): void {
  const container = key.slice(APP_ARMOR.length);
  let isKnown = false;
  eachContainer(spec, path, ({ name }) => {
    isKnown ||= name === container;
  });
  if (!isKnown) errors.push(field.invalid(path.key(key), container, "container not found"));
  if (
    profile !== "" &&
    profile !== "runtime/default" &&
    profile !== "unconfined" &&
    !profile.startsWith("localhost/")
  ) {
    errors.push(field.invalid(path.key(key), profile, `invalid AppArmor profile name: ${goQuote(profile)}`));
  }
}

export function podAnnotationUpdates(
  errors: Errors,
  annotations: StringMap = {},
  old: StringMap = {},
  spec: core.PodSpec,
  path: Path,
  opts: PodOptions,
): void {
  const report = (key: string, verb: string): void => {
    if (key.startsWith(APP_ARMOR)) errors.push(field.forbidden(path.key(key), `may not ${verb} AppArmor annotations`));
    if (key === MIRROR_POD) errors.push(field.forbidden(path.key(key), `may not ${verb} mirror pod annotation`));
  };
  for (const key in old) if (annotations[key] !== old[key]) report(key, "remove or update");
  for (const key in annotations) if (!Object.hasOwn(old, key)) report(key, "add");
  podAnnotations(errors, annotations, spec, path, opts);
}

/** A profile given both as annotation and as field must be the same. */
export function profilesMatch(
  errors: Errors,
  annotations: StringMap | undefined,
  spec: core.PodSpec,
  path: Path,
): void {
  if (annotations === undefined) return;
  const ofPod = spec.securityContext?.seccompProfile;
  if (ofPod && annotations[SECCOMP_POD] !== undefined) {
    sameProfile(errors, "seccomp", annotations[SECCOMP_POD], ofPod, path.child("securityContext", "seccompProfile"));
  }
  eachContainer(spec, path, ({ name, securityContext }, at) => {
    const annotation = annotations[SECCOMP_CONTAINER + name];
    const profile = securityContext?.seccompProfile;
    if (annotation === undefined || !profile) return;
    sameProfile(errors, "seccomp", annotation, profile, at.child("securityContext", "seccompProfile"));
  });
  if (spec.os?.name === "windows") return;
  eachContainer(spec, path, ({ name, securityContext }, at) => {
    const annotation = annotations[APP_ARMOR + name];
    const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    if (annotation === undefined || !profile) return;
    sameProfile(errors, "apparmor", annotation, profile, at.child("securityContext", "appArmorProfile"));
  });
}

function sameProfile(
  errors: Errors,
  word: "seccomp" | "apparmor",
  annotation: string,
  { type, localhostProfile }: core.SeccompProfile,
  path: Path,
): void {
  const isDefault = annotation === "runtime/default" || (word === "seccomp" && annotation === "docker/default");
  const isSameType =
    type === "Unconfined"
      ? annotation === "unconfined"
      : type === "RuntimeDefault"
        ? isDefault
        : type !== "Localhost" || annotation.startsWith("localhost/");
  if (!isSameType) errors.push(field.forbidden(path.child("type"), `${word} type in annotation and field must match`));
  else if (type === "Localhost" && annotation !== `localhost/${localhostProfile}`) {
    errors.push(field.forbidden(path.child("localhostProfile"), `${word} profile in annotation and field must match`));
  }
}
