// Containers of all three kinds. Upstream: pkg/apis/core/validation, validateContainers, validateInitContainers,
// validateEphemeralContainers, validateContainerCommon

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Label, isPortName, isPortNumber } from "#api/names.ts";
import { type Errors, type Path, requiredName, requiredOneOf } from "#kinds/parts/checks.ts";
import { containerResourceName, requirements } from "#kinds/parts/resources.ts";
import { env, envFrom } from "./env.ts";
import { type Volumes, volumeDevices, volumeMounts } from "./mounts.ts";
import type { PodOptions } from "./pod-options.ts";
import { lifecycle, PROBES, probe } from "./probes.ts";
import { containerRestart, initContainerRestart, resizePolicies } from "./restart-policy.ts";
import { securityContext } from "./security-context.ts";

export type AnyContainer = core.Container | core.EphemeralContainer;

/** Facts that all containers of a pod share. */
export interface ContainerScope {
  readonly spec: core.PodSpec;
  readonly volumes: Volumes;
  readonly claimNames: ReadonlySet<string>;
  readonly opts: PodOptions;
}

export function containers(errors: Errors, path: Path, scope: ContainerScope): void {
  const list = scope.spec.containers ?? [];
  if (list.length === 0) {
    errors.push(field.required(path, ""));
    return;
  }
  const names = new Set<string>();
  list.forEach((container, i) => {
    const at = path.index(i);
    commonParts(errors, container, at, scope);
    if (names.has(container.name ?? "")) errors.push(field.duplicate(at.child("name"), container.name));
    names.add(container.name ?? "");
    hooksAndProbes(errors, container, at, scope.spec);
    if (scope.opts.allowRestartRules) containerRestart(errors, container, at, scope.opts);
    else if (container.restartPolicy !== undefined) {
      errors.push(field.forbidden(at.child("restartPolicy"), "may not be set for non-init containers"));
    }
  });
  hostPortConflicts(errors, list, path);
}

function hooksAndProbes(errors: Errors, container: core.Container, path: Path, spec: core.PodSpec): void {
  const grace = spec.terminationGracePeriodSeconds;
  if (container.lifecycle) lifecycle(errors, container.lifecycle, grace, spec.os, path.child("lifecycle"));
  for (const kind of PROBES) {
    const value = container[kind];
    if (value) probe(errors, kind, value, grace, path.child(kind));
  }
}

export function initContainers(errors: Errors, path: Path, scope: ContainerScope): void {
  if (!scope.spec.initContainers) return;
  const names = new Set((scope.spec.containers ?? []).map((container) => container.name ?? ""));
  scope.spec.initContainers.forEach((container, i) => {
    const at = path.index(i);
    const isSidecar = container.restartPolicy === "Always";
    commonParts(errors, container, at, scope);
    initContainerRestart(errors, container, at, scope.opts);
    const own = container.name ?? "";
    if (names.has(own)) errors.push(field.duplicate(at.child("name"), own));
    else if (own !== "") names.add(own);
    hostPortConflicts(errors, [container], path);
    if (isSidecar) hooksAndProbes(errors, container, at, scope.spec);
    else {
      for (const part of ["lifecycle", ...PROBES] as const) {
        if (!container[part]) continue;
        errors.push(field.forbidden(at.child(part), "may not be set for init containers without restartPolicy=Always"));
      }
      if (!scope.opts.allowRestartContainerForInit) restartOnResize(errors, container, at.child("resizePolicy"));
    }
  });
}

function restartOnResize(errors: Errors, container: core.Container, path: Path): void {
  container.resizePolicy?.forEach(({ restartPolicy }, i) => {
    if (restartPolicy !== "RestartContainer") return;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    errors.push(field.invalid(path.index(i).child("restartPolicy"), restartPolicy, detail));
  });
}

// In the order of upstream's struct.
const FORBIDDEN_FOR_EPHEMERAL = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "object" && Object.values(value).every(isUnset));

export function ephemeralContainers(errors: Errors, path: Path, scope: ContainerScope): void {
  const { spec } = scope;
  if (!spec.ephemeralContainers) return;
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((c) => c.name ?? ""));
  const names = new Set(others);
  const detail = "cannot be set for an Ephemeral Container";
  spec.ephemeralContainers.forEach((container, i) => {
    const at = path.index(i);
    commonParts(errors, container, at, scope);
    imageWithoutSpace(errors, container, at);
    const { name: own = "", targetContainerName: target } = container;
    if (names.has(own)) errors.push(field.duplicate(at.child("name"), own));
    names.add(own);
    if (target && !others.has(target)) errors.push(field.notFound(at.child("targetContainerName"), target));
    for (const part of FORBIDDEN_FOR_EPHEMERAL) {
      if (!isUnset(container[part])) errors.push(field.forbidden(at.child(part), detail));
    }
    container.volumeMounts?.forEach((mount, j) => {
      for (const part of ["subPath", "subPathExpr"] as const) {
        if (mount[part]) errors.push(field.forbidden(at.child("volumeMounts").index(j).child(part), detail));
      }
    });
  });
}

/** Only pods are refused: stored templates must stay valid. */
export function imageWithoutSpace(errors: Errors, { image = "" }: AnyContainer, path: Path): void {
  if (image.trim() === image) return;
  errors.push(field.invalid(path.child("image"), image, "must not have leading or trailing whitespace"));
}

function commonParts(errors: Errors, container: AnyContainer, path: Path, scope: ContainerScope): void {
  const { spec, volumes, claimNames, opts } = scope;
  requiredName(errors, container.name, path.child("name"), isDns1123Label);
  if (!container.image) errors.push(field.required(path.child("image"), ""));
  const messages = ["File", "FallbackToLogsOnError"];
  requiredOneOf(errors, container.terminationMessagePolicy, path.child("terminationMessagePolicy"), messages);
  ports(errors, container.ports ?? [], path.child("ports"));
  env(errors, container.env ?? [], path.child("env"), opts);
  envFrom(errors, container.envFrom ?? [], path.child("envFrom"));
  volumeMounts(errors, container, volumes, path.child("volumeMounts"));
  volumeDevices(errors, container, volumes, path.child("volumeDevices"));
  requiredOneOf(errors, container.imagePullPolicy, path.child("imagePullPolicy"), ["Always", "IfNotPresent", "Never"]);
  const resources = container.resources ?? {};
  requirements(errors, resources, path.child("resources"), containerResourceName, claimNames, opts);
  resizePolicies(errors, container.resizePolicy ?? [], spec.restartPolicy ?? "", path.child("resizePolicy"));
  if (container.securityContext) {
    securityContext(errors, container.securityContext, path.child("securityContext"), spec.hostUsers !== false);
  }
}

const PROTOCOLS = ["SCTP", "TCP", "UDP"];

function ports(errors: Errors, list: readonly core.ContainerPort[], path: Path): void {
  const names = new Set<string>();
  list.forEach((port, i) => {
    const at = path.index(i);
    if (port.name) {
      const messages = isPortName(port.name);
      for (const message of messages) errors.push(field.invalid(at.child("name"), port.name, message));
      if (messages.length === 0 && names.has(port.name)) errors.push(field.duplicate(at.child("name"), port.name));
      if (messages.length === 0) names.add(port.name);
    }
    if (!port.containerPort) errors.push(field.required(at.child("containerPort"), ""));
    else portNumber(errors, port.containerPort, at.child("containerPort"));
    if (port.hostPort) portNumber(errors, port.hostPort, at.child("hostPort"));
    requiredOneOf(errors, port.protocol, at.child("protocol"), PROTOCOLS);
  });
}

function portNumber(errors: Errors, value: number, path: Path): void {
  for (const message of isPortNumber(value)) errors.push(field.invalid(path, value, message));
}

function hostPortConflicts(errors: Errors, list: readonly core.Container[], path: Path): void {
  const taken = new Set<string>();
  list.forEach((container, i) => {
    container.ports?.forEach(({ hostPort, hostIP = "", protocol = "" }, j) => {
      if (!hostPort) return;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      const at = path.index(i).child("ports").index(j).child("hostPort");
      if (taken.has(key)) errors.push(field.duplicate(at, key));
      taken.add(key);
    });
  });
}
