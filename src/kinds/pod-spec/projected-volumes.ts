// Projected volumes, and the files from secrets, config maps and the downward API.
// Upstream: pkg/apis/core/validation, validateProjectionSources, validateDownwardAPIVolumeFile

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { domainPrefixedKey, type Errors, labelSelector, type Path, signerName } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { containerResourceRef, objectFieldRef } from "./downward-api.ts";
import { fileMode, nonReservedPath } from "./file-paths.ts";

import type { PodOptions } from "./pod-options.ts";

export function keyToPath(errors: Errors, item: core.KeyToPath, path: Path): void {
  if (!item.key) errors.push(field.required(path.child("key"), ""));
  if (!item.path) errors.push(field.required(path.child("path"), ""));
  nonReservedPath(errors, item.path ?? "", path.child("path"));
  fileMode(errors, item.mode, path.child("mode"));
}

const VOLUME_FIELDS = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

export function downwardFile(errors: Errors, file: core.DownwardAPIVolumeFile, path: Path): void {
  if (!file.path) errors.push(field.required(path.child("path"), ""));
  nonReservedPath(errors, file.path ?? "", path.child("path"));
  if (file.fieldRef) {
    objectFieldRef(errors, file.fieldRef, VOLUME_FIELDS, path.child("fieldRef"));
    if (file.resourceFieldRef) {
      errors.push(field.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
  } else if (file.resourceFieldRef) {
    containerResourceRef(errors, file.resourceFieldRef, path.child("resourceFieldRef"), true);
  } else {
    errors.push(field.required(path, "one of fieldRef and resourceFieldRef is required"));
  }
  fileMode(errors, file.mode, path.child("mode"));
}

export function projectedSource(
  errors: Errors,
  volume: core.ProjectedVolumeSource,
  path: Path,
  opts: PodOptions,
): void {
  fileMode(errors, volume.defaultMode, path.child("defaultMode"));
  const paths = new Set<string>();
  const claim = (file: string, badValue: string): void => {
    if (paths.has(file)) errors.push(field.invalid(path, badValue, "conflicting duplicate paths"));
    paths.add(file);
  };
  volume.sources?.forEach((source, i) => {
    projection(errors, source, path.child("sources").index(i), path, opts, claim);
  });
}

type ClaimPath = (file: string, badValue: string) => void;

function projection(
  errors: Errors,
  source: core.VolumeProjection,
  path: Path,
  volumePath: Path,
  opts: PodOptions,
  claim: ClaimPath,
): void {
  if (source.secret) keyedProjection(errors, source.secret, path.child("secret"), claim);
  if (source.configMap) keyedProjection(errors, source.configMap, path.child("configMap"), claim);
  for (const file of source.downwardAPI?.items ?? []) {
    downwardFile(errors, file, path.child("downwardAPI"));
    if (file.path) claim(file.path, file.path);
  }
  if (source.serviceAccountToken) {
    tokenProjection(errors, source.serviceAccountToken, path.child("serviceAccountToken"), volumePath, opts);
  }
  if (source.clusterTrustBundle)
    trustBundle(errors, source.clusterTrustBundle, path.child("clusterTrustBundle"), claim);
  if (source.podCertificate) podCertificate(errors, source.podCertificate, path.child("podCertificate"), claim);
  const count = Object.values(source).filter((value) => value !== undefined && value !== null).length;
  if (count > 1) errors.push(field.forbidden(path, "may not specify more than 1 volume type per source"));
}

function keyedProjection(
  errors: Errors,
  source: core.SecretProjection | core.ConfigMapProjection,
  path: Path,
  claim: ClaimPath,
): void {
  const { name = "", items = [] } = source;
  if (name === "") errors.push(field.required(path.child("name"), ""));
  items.forEach((item, i) => {
    keyToPath(errors, item, path.child("items").index(i));
    if (item.path) claim(item.path, name);
  });
}

function tokenProjection(
  errors: Errors,
  source: core.ServiceAccountTokenProjection,
  path: Path,
  volumePath: Path,
  opts: PodOptions,
): void {
  const seconds = source.expirationSeconds ?? 0;
  const secondsPath = path.child("expirationSeconds");
  if (seconds < 600)
    errors.push(field.invalid(secondsPath, seconds, "may not specify a duration less than 10 minutes"));
  if (seconds > 2 ** 32) {
    errors.push(field.invalid(secondsPath, seconds, "may not specify a duration larger than 2^32 seconds"));
  }
  if (!source.path) errors.push(field.required(volumePath.child("path"), ""));
  else if (!opts.allowNonLocalTokenPath) nonReservedPath(errors, source.path, volumePath.child("path"));
}

function trustBundle(errors: Errors, source: core.ClusterTrustBundleProjection, path: Path, claim: ClaimPath): void {
  const { name, signerName: signer, path: file = "" } = source;
  if (name !== undefined && signer !== undefined) {
    const value = internalForm("ClusterTrustBundleProjection", source);
    errors.push(field.invalid(path, value, "only one of name and signerName may be used"));
  } else if (name !== undefined) {
    trustBundleName(errors, name, path.child("name"));
    if (source.labelSelector) {
      const detail = "labelSelector must be unset if name is specified";
      errors.push(
        field.invalid(path.child("labelSelector"), internalForm("LabelSelector", source.labelSelector), detail),
      );
    }
  } else if (signer !== undefined) {
    if (signer === "") errors.push(field.required(path.child("signerName"), "must be a valid signer name"));
    signerName(errors, signer, path.child("signerName"));
    labelSelector(errors, source.labelSelector, path.child("labelSelector"));
  } else {
    errors.push(field.required(path, "either name or signerName must be specified"));
  }
  if (file === "") errors.push(field.required(path.child("path"), ""));
  nonReservedPath(errors, file, path.child("path"));
  claim(file, file);
}

// Upstream: pkg/apis/core/validation/names.go, ValidateClusterTrustBundleName
function trustBundleName(errors: Errors, name: string, path: Path): void {
  if (name === "") errors.push(field.required(path, "must be a valid object name"));
  const colon = name.lastIndexOf(":");
  for (const message of isDns1123Subdomain(name.slice(colon + 1))) {
    errors.push(field.invalid(path, name, `not a valid clustertrustbundlename: ${message}`));
  }
}

const KEY_TYPES = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const MAX_EXPIRATION_SECONDS = 91 * 24 * 3600;
const KUBERNETES_MAX_EXPIRATION_SECONDS = 24 * 3600;

/** The longest lifetime of a signer's certificates: one day for Kubernetes signers. */
export const maxExpirationSecondsOf = (signer: string): number =>
  /^([^/]*\.)?kubernetes\.io(\/|$)/.test(signer) ? KUBERNETES_MAX_EXPIRATION_SECONDS : MAX_EXPIRATION_SECONDS;

function podCertificate(errors: Errors, source: core.PodCertificateProjection, path: Path, claim: ClaimPath): void {
  const signer = source.signerName ?? "";
  signerName(errors, signer, path.child("signerName"));
  if (source.userAnnotations) userAnnotations(errors, source.userAnnotations, path.child("userAnnotations"));
  if (!KEY_TYPES.includes(source.keyType ?? "")) {
    errors.push(field.notSupported(path.child("keyType"), source.keyType ?? "", KEY_TYPES));
  }
  const seconds = source.maxExpirationSeconds;
  if (seconds !== undefined) {
    const secondsPath = path.child("maxExpirationSeconds");
    const max = maxExpirationSecondsOf(signer);
    if (seconds < 3600) {
      errors.push(field.invalid(secondsPath, seconds, "if provided, maxExpirationSeconds must be >= 3600"));
    }
    if (seconds > max) {
      errors.push(field.invalid(secondsPath, seconds, `if provided, maxExpirationSeconds must be <= ${max}`));
    }
  }
  const files = (["credentialBundlePath", "keyPath", "certificateChainPath"] as const).filter((file) => source[file]);
  for (const file of files) {
    nonReservedPath(errors, source[file] ?? "", path.child(file));
    claim(source[file] ?? "", source[file] ?? "");
  }
  if (files.length === 0) {
    const detail = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
    errors.push(field.required(path, detail));
  }
}

const ANNOTATION_BYTES_MAX = 256 * 1024;

export function userAnnotations(errors: Errors, annotations: Readonly<Record<string, string>>, path: Path): void {
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    domainPrefixedKey(errors, key.toLowerCase(), path);
    size += byteLength(key) + byteLength(value);
  }
  if (size > ANNOTATION_BYTES_MAX) errors.push(field.tooLong(path, ANNOTATION_BYTES_MAX));
}
