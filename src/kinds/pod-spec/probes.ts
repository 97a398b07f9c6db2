// Probes and lifecycle hooks. Upstream: pkg/apis/core/validation, validateProbe, validateHandler, validateLifecycle

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { IntOrString } from "#api/int-or-string.ts";
import type { Int64 } from "#api/int64.ts";
import { isHttpHeaderName, isPortName, isPortNumber } from "#api/names.ts";
import { type Errors, nonNegative, oneOf, type Path } from "#kinds/parts/checks.ts";

export type ProbeKind = "livenessProbe" | "readinessProbe" | "startupProbe";
export const PROBES: readonly ProbeKind[] = ["livenessProbe", "readinessProbe", "startupProbe"];

export function probe(errors: Errors, kind: ProbeKind, value: core.Probe, grace: Int64 | undefined, path: Path): void {
  handler(errors, value, grace, path);
  nonNegative(errors, value.initialDelaySeconds, path.child("initialDelaySeconds"));
  nonNegative(errors, value.timeoutSeconds, path.child("timeoutSeconds"));
  nonNegative(errors, value.periodSeconds, path.child("periodSeconds"));
  nonNegative(errors, value.successThreshold, path.child("successThreshold"));
  nonNegative(errors, value.failureThreshold, path.child("failureThreshold"));
  const seconds = value.terminationGracePeriodSeconds;
  const secondsPath = path.child("terminationGracePeriodSeconds");
  if (seconds !== undefined && seconds <= 0) errors.push(field.invalid(secondsPath, seconds, "must be greater than 0"));
  if (kind === "readinessProbe") {
    if (seconds !== undefined) errors.push(field.invalid(secondsPath, seconds, "must not be set for readinessProbes"));
  } else if (value.successThreshold !== 1) {
    errors.push(field.invalid(path.child("successThreshold"), value.successThreshold ?? 0, "must be 1"));
  }
}

type Handler = core.Probe & core.LifecycleHandler;

const HANDLERS: {
  readonly [K in "exec" | "httpGet" | "tcpSocket" | "grpc"]: (errors: Errors, value: never, path: Path) => void;
} = {
  exec: (errors, { command }: core.ExecAction, path) => {
    if ((command ?? []).length === 0) errors.push(field.required(path.child("command"), ""));
  },
  httpGet: (errors, action: core.HTTPGetAction, path) => {
    if (!action.path) errors.push(field.required(path.child("path"), ""));
    port(errors, action.port, path.child("port"));
    oneOf(errors, action.scheme, path.child("scheme"), ["HTTP", "HTTPS"]);
    for (const { name = "" } of action.httpHeaders ?? []) {
      for (const message of isHttpHeaderName(name))
        errors.push(field.invalid(path.child("httpHeaders"), name, message));
    }
  },
  tcpSocket: (errors, action: core.TCPSocketAction, path) => port(errors, action.port, path.child("port")),
  grpc: (errors, action: core.GRPCAction, path) => port(errors, action.port, path.child("port")),
};

function handler(errors: Errors, value: Handler, grace: Int64 | undefined, path: Path): void {
  let count = 0;
  const isFurther = (name: string): boolean => {
    if (count++ === 0) return false;
    errors.push(field.forbidden(path.child(name), "may not specify more than 1 handler type"));
    return true;
  };
  for (const kind of ["exec", "httpGet", "tcpSocket", "grpc"] as const) {
    const action = value[kind];
    if (action && !isFurther(kind)) HANDLERS[kind](errors, action as never, path.child(kind));
  }
  if (value.sleep && !isFurther("sleep")) sleep(errors, value.sleep, grace, path.child("sleep"));
  if (count === 0) errors.push(field.required(path, "must specify a handler type"));
}

function sleep(errors: Errors, { seconds = 0 }: core.SleepAction, grace: Int64 | undefined, path: Path): void {
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
  errors.push(field.invalid(path, seconds, detail));
}

export function port(errors: Errors, value: IntOrString | undefined, path: Path): void {
  const given = value ?? 0;
  const messages = typeof given === "number" ? isPortNumber(given) : isPortName(given);
  for (const message of messages) errors.push(field.invalid(path, given, message));
}

const REAL_TIME = ["SIGRTMIN", "SIGRTMAX", ...counted("SIGRTMIN+", 15), ...counted("SIGRTMAX-", 14)];
const LINUX_SIGNALS = [
  "ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP",
  "TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ",
]
  .flatMap((line) => line.split(" ").map((name) => `SIG${name}`))
  .concat(REAL_TIME)
  .sort();

function counted(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);
}

export function lifecycle(
  errors: Errors,
  value: core.Lifecycle,
  grace: Int64 | undefined,
  os: core.PodOS | undefined,
  path: Path,
): void {
  if (value.postStart) handler(errors, value.postStart, grace, path.child("postStart"));
  if (value.preStop) handler(errors, value.preStop, grace, path.child("preStop"));
  if (value.stopSignal === undefined) return;
  const at = path.child("stopSignal");
  if (!os) errors.push(field.forbidden(at, "may not be set for containers with empty `spec.os.name`"));
  else if (os.name === "windows") oneOf(errors, value.stopSignal, at, ["SIGKILL", "SIGTERM"]);
  else if (os.name === "linux") oneOf(errors, value.stopSignal, at, LINUX_SIGNALS);
}
