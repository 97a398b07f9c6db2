// Storage versions. Upstream: pkg/registry/apiserverinternal/storageversion/strategy.go;
// pkg/apis/apiserverinternal/validation

import * as field from "#api/field-error.ts";
import type * as internal from "#api/generated/types/internal-v1alpha1.ts";
import { EMPTY, isDns1035Label, isDns1123Subdomain, regexMessage } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, type Path, qualifiedName } from "#kinds/parts/checks.ts";
import { objectMeta } from "#kinds/parts/metadata.ts";
import { put, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import { ageOf, firstThree, nameOf, orUnset, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const STATUS = field.newPath("status");

function storageVersionName(value: string): string[] {
  const dot = value.lastIndexOf(".");
  if (dot < 0) return ["name must be in the form of <group>.<resource>"];
  return [
    ...isDns1123Subdomain(value.slice(0, dot)).map((message) => `the group segment ${message}`),
    ...isDns1035Label(value.slice(dot + 1)).map((message) => `the resource segment ${message}`),
  ];
}

function validateStatus(errors: Errors, status: internal.StorageVersionStatus): void {
  const servers = new Set<string>();
  for (const [index, version] of (status.storageVersions ?? []).entries()) {
    const path = STATUS.child("storageVersions").index(index);
    const { apiServerID } = version;
    if (servers.has(apiServerID)) errors.push(field.duplicate(path.child("apiServerID"), apiServerID));
    servers.add(apiServerID);
    serverVersion(errors, version, path);
  }
  commonVersion(errors, status);
  conditions(errors, status.conditions ?? []);
}

function serverVersion(errors: Errors, version: internal.ServerStorageVersion, path: Path): void {
  const { apiServerID = "", encodingVersion = "", decodableVersions = [], servedVersions = [] } = version;
  for (const message of isDns1123Subdomain(apiServerID)) {
    errors.push(field.invalid(path.child("apiServerID"), apiServerID, message));
  }
  apiVersion(errors, encodingVersion, path.child("encodingVersion"));
  for (const [index, decodable] of decodableVersions.entries()) {
    apiVersion(errors, decodable, path.child("decodableVersions").index(index));
  }
  if (!decodableVersions.includes(encodingVersion)) {
    const message = `decodableVersions must include encodingVersion ${encodingVersion}`;
    errors.push(field.invalid(path.child("decodableVersions"), version.decodableVersions ?? null, message));
  }
  for (const [index, served] of servedVersions.entries()) {
    const at = path.child("servedVersions").index(index);
    apiVersion(errors, served, at);
    if (decodableVersions.includes(served)) continue;
    const all = `[${decodableVersions.join(" ")}]`;
    const message = `individual served version : ${served} must be included in decodableVersions : ${all}`;
    errors.push(field.invalid(at, served, message));
  }
}

function apiVersion(errors: Errors, value: string, path: Path): void {
  const messages = apiVersionErrors(value);
  if (messages.length > 0) errors.push(field.invalid(path, value, messages.join(",")));
}

const LABEL =
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";

function apiVersionErrors(value: string): readonly string[] {
  const parts = value.split("/");
  if (parts.length > 2) {
    const label = regexMessage(LABEL, "[a-z]([-a-z0-9]*[a-z0-9])?", "my-name", "abc-123");
    return [`an apiVersion is ${label} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`];
  }
  const version = parts.at(-1) ?? "";
  const [group] = parts.length === 2 ? parts : [];
  const ofGroup = group === undefined ? [] : group === "" ? [EMPTY] : isDns1123Subdomain(group);
  const ofVersion = version === "" ? [EMPTY] : isDns1035Label(version);
  return [
    ...ofGroup.map((message) => `group part: ${message}`),
    ...ofVersion.map((message) => `version part: ${message}`),
  ];
}

function commonVersion(
  errors: Errors,
  { storageVersions = [], commonEncodingVersion }: internal.StorageVersionStatus,
): void {
  const encodings = new Set(storageVersions.map(({ encodingVersion = "" }) => encodingVersion));
  const [common] = encodings.size === 1 ? encodings : [];
  if (common === commonEncodingVersion) return;
  const path = STATUS.child("commonEncodingVersion");
  const message =
    common === undefined
      ? "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet"
      : `the ${commonEncodingVersion === undefined ? "" : "actual "}common encoding version is ${common}`;
  errors.push(field.invalid(path, commonEncodingVersion ?? null, message));
}

/** As upstream, the paths lack "conditions". */
function conditions(errors: Errors, list: readonly internal.StorageVersionCondition[]): void {
  const seen = new Map<string, number>();
  for (const [index, { type, status, reason, message }] of list.entries()) {
    const path = STATUS.index(index);
    const first = seen.get(type);
    if (first !== undefined) {
      const text = `the type of the condition is not unique, it also appears in conditions[${first}]`;
      errors.push(field.invalid(path.child("type"), type, text));
    }
    seen.set(type, index);
    qualifiedName(errors, type, path.child("type"));
    qualifiedName(errors, status, path.child("status"));
    if (!reason) errors.push(field.required(path.child("reason"), ""));
    if (!message) errors.push(field.required(path.child("message"), ""));
  }
}

const strategy = kindStrategy<internal.StorageVersion>({
  allowUnconditionalUpdate: false,
  resetFields: [["status"]],
  prepareForCreate: (version) => put(version, "status", {}),
  validate(version) {
    const errors: Errors = [];
    objectMeta(errors, version.metadata, false, storageVersionName, METADATA);
    validateStatus(errors, version.status ?? {});
    return errors;
  },
  prepareForUpdate: (version, old) => put(version, "status", old.status),
  validateUpdate: () => [],
  subresources: {
    status: {
      prepareForUpdate: (version, old) =>
        put({ ...version, metadata: resetMetaForStatus(version.metadata, old.metadata) }, "spec", old.spec),
      validateUpdate(version) {
        const errors: Errors = [];
        validateStatus(errors, version.status ?? {});
        return errors;
      },
      resetFields: [["metadata"], ["spec"]],
    },
  },
});

export const storageVersion: Kind<internal.StorageVersion> = {
  key: "storageversions.internal.apiserver.k8s.io",
  strategy,
  printer: printer<internal.StorageVersion>("Name|CommonEncodingVersion|StorageVersions|Age", (object, now) => [
    nameOf(object),
    orUnset(object.status?.commonEncodingVersion),
    firstThree((object.status?.storageVersions ?? []).map((v) => `${v.apiServerID ?? ""}=${v.encodingVersion ?? ""}`)),
    ageOf(object, now),
  ]),
};
