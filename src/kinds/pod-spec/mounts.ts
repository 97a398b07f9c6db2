// Volumes of a pod and their mounts.
// Upstream: pkg/apis/core/validation, ValidateVolumes, ValidateVolumeMounts, ValidateVolumeDevices

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Label } from "#api/names.ts";
import { type Errors, oneOf, type Path, requiredName } from "#kinds/parts/checks.ts";
import { descendingPath, hasBacksteps } from "./file-paths.ts";
import type { PodOptions } from "./pod-options.ts";
import { volumeSource } from "./volume-sources.ts";

/** Valid volumes by name. A mount of an invalid volume is reported as not found. */
export type Volumes = ReadonlyMap<string, core.Volume>;

export function volumes(
  errors: Errors,
  list: readonly core.Volume[],
  podName: string | undefined,
  path: Path,
  opts: PodOptions,
): Volumes {
  const valid = new Map<string, core.Volume>();
  const createdClaims = new Set(
    podName ? list.filter((v) => v.ephemeral).map((v) => `${podName}-${v.name ?? ""}`) : [],
  );
  list.forEach((volume, i) => {
    const at = path.index(i);
    const before = errors.length;
    const name = volume.name ?? "";
    volumeSource(errors, volume, at, podName, opts);
    requiredName(errors, name, at.child("name"), isDns1123Label);
    if (valid.has(name)) errors.push(field.duplicate(at.child("name"), name));
    if (errors.length === before) valid.set(name, volume);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && createdClaims.has(claim)) {
      const detail = "must not reference a PVC that gets created for an ephemeral volume";
      errors.push(field.invalid(at.child("persistentVolumeClaim", "claimName"), claim, detail));
    }
  });
  return valid;
}

type AnyContainer = core.Container | core.EphemeralContainer;

export function volumeMounts(errors: Errors, container: AnyContainer, known: Volumes, path: Path): void {
  const devices = new Map((container.volumeDevices ?? []).map((device) => [device.name, device.devicePath]));
  const devicePaths = new Set(devices.values());
  const seen = new Set<string>();
  container.volumeMounts?.forEach((mount, i) => {
    const at = path.index(i);
    const { name = "", mountPath = "", subPath, subPathExpr } = mount;
    if (name === "") errors.push(field.required(at.child("name"), ""));
    if (!known.has(name)) errors.push(field.notFound(at.child("name"), name));
    if (mountPath === "") errors.push(field.required(at.child("mountPath"), ""));
    if (seen.has(mountPath)) errors.push(field.invalid(at.child("mountPath"), mountPath, "must be unique"));
    seen.add(mountPath);
    if (devices.has(name))
      errors.push(field.invalid(at.child("name"), name, "must not already exist in volumeDevices"));
    if (devicePaths.has(mountPath)) {
      errors.push(field.invalid(at.child("mountPath"), mountPath, "must not already exist as a path in volumeDevices"));
    }
    if (subPath) descendingPath(errors, subPath, path.child("subPath"));
    if (subPathExpr) {
      if (subPath) {
        const detail = "subPathExpr and subPath are mutually exclusive";
        errors.push(field.invalid(at.child("subPathExpr"), subPathExpr, detail));
      }
      descendingPath(errors, subPathExpr, path.child("subPathExpr"));
    }
    mountPropagation(errors, mount, container, path.child("mountPropagation"));
    recursiveReadOnly(errors, mount, path.child("recursiveReadOnly"));
  });
}

function mountPropagation(errors: Errors, mount: core.VolumeMount, container: AnyContainer, path: Path): void {
  const mode = mount.mountPropagation;
  if (mode === undefined) return;
  oneOf(errors, mode, path, ["Bidirectional", "HostToContainer", "None"]);
  if (mode === "Bidirectional" && container.securityContext?.privileged !== true) {
    const detail = "Bidirectional mount propagation is available only to privileged containers";
    errors.push(field.forbidden(path, detail));
  }
}

function recursiveReadOnly(errors: Errors, mount: core.VolumeMount, path: Path): void {
  const mode = mount.recursiveReadOnly;
  if (mode === undefined || mode === "Disabled") return;
  if (mode !== "Enabled" && mode !== "IfPossible") {
    errors.push(field.notSupported(path, mode, ["Disabled", "Enabled", "IfPossible"]));
    return;
  }
  if (!mount.readOnly) errors.push(field.forbidden(path, "may only be specified when readOnly is true"));
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== "None") {
    errors.push(field.forbidden(path, "may only be specified when mountPropagation is None or not specified"));
  }
}

export function volumeDevices(errors: Errors, container: AnyContainer, known: Volumes, path: Path): void {
  if (!container.volumeDevices) return;
  const mounts = new Map((container.volumeMounts ?? []).map((mount) => [mount.name, mount.mountPath]));
  const mountPaths = new Set(mounts.values());
  const names = new Set<string>();
  const paths = new Set<string>();
  container.volumeDevices.forEach(({ name = "", devicePath = "" }, i) => {
    const nameAt = path.index(i).child("name");
    const pathAt = path.index(i).child("devicePath");
    const volume = known.get(name);
    if (name === "") errors.push(field.required(nameAt, ""));
    if (names.has(name)) errors.push(field.invalid(nameAt, name, "must be unique"));
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      errors.push(field.invalid(nameAt, name, detail));
    }
    if (!volume) errors.push(field.notFound(nameAt, name));
    if (devicePath === "") errors.push(field.required(pathAt, ""));
    if (paths.has(devicePath)) errors.push(field.invalid(pathAt, devicePath, "must be unique"));
    if (hasBacksteps(devicePath)) errors.push(field.invalid(pathAt, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.has(name)) errors.push(field.invalid(nameAt, name, "must not already exist in volumeMounts"));
    if (mountPaths.has(devicePath)) {
      errors.push(field.invalid(pathAt, devicePath, "must not already exist as a path in volumeMounts"));
    }
    if (name !== "") names.add(name);
  });
}
