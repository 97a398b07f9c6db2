// The leader migration configuration: which controllers run under the second lock, and in which program.
// Upstream: controller-manager/pkg/leadermigration/{config,options,migrator}.go.

import * as field from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import type { ControllerLeader, LeaderMigrationConfig } from "./config.ts";

const GROUP = "controllermanager.config.k8s.io";
const KIND = "LeaderMigrationConfiguration";
const versions: readonly string[] = ["v1", "v1alpha1", "v1beta1"];
const COMPONENT = "kube-controller-manager";

class LeaderMigrationError extends Error {
  override readonly name = "LeaderMigrationError";
}

export const defaultLeaderMigration: LeaderMigrationConfig = {
  leaderName: "cloud-provider-extraction-migration",
  resourceLock: "leases",
  controllerLeaders: [
    { name: "route-controller", component: "*" },
    { name: "service-controller", component: "*" },
    { name: "cloud-node-lifecycle-controller", component: "*" },
  ],
};

/** document: the file's content, decoded. Strict: an unknown field is an error. */
export function readLeaderMigration(document: unknown, text: string): LeaderMigrationConfig {
  const object = (typeof document === "object" && document !== null ? document : {}) as Record<string, unknown>;
  const { apiVersion, kind, ...fields } = object;
  const version = requireKind(apiVersion, kind, text);
  const known =
    version === "v1" ? ["leaderName", "controllerLeaders"] : ["leaderName", "resourceLock", "controllerLeaders"];
  const unknown = Object.keys(fields)
    .filter((name) => !known.includes(name))
    .map((name) => `unknown field ${goQuote(name)}`);
  const leaders = Array.isArray(fields.controllerLeaders) ? (fields.controllerLeaders as unknown[]) : [];
  leaders.forEach((leader, index) => {
    for (const name of Object.keys((leader ?? {}) as object)) {
      if (name !== "name" && name !== "component")
        unknown.push(`unknown field ${goQuote(`controllerLeaders[${index}].${name}`)}`);
    }
  });
  if (unknown.length > 0) throw new LeaderMigrationError(`strict decoding error: ${unknown.sort().join(", ")}`);
  const word = (value: unknown): string => (typeof value === "string" ? value : "");
  const config: LeaderMigrationConfig = {
    leaderName: word(fields.leaderName),
    resourceLock: version === "v1" ? "leases" : word(fields.resourceLock),
    controllerLeaders: leaders.map((leader) => {
      const { name, component } = (leader ?? {}) as Record<string, unknown>;
      return { name: word(name), component: word(component) };
    }),
  };
  const problems = validate(config);
  if (problems.length > 0) {
    throw new LeaderMigrationError(
      `failed to parse leader migration configuration: [${problems.map(field.errorText).join(" ")}]`,
    );
  }
  return config;
}

function requireKind(apiVersion: unknown, kind: unknown, text: string): string {
  if (typeof kind !== "string" || kind === "") throw new LeaderMigrationError(`Object 'Kind' is missing in '${text}'`);
  const [group = "", version = ""] = typeof apiVersion === "string" ? apiVersion.split("/") : [];
  if (apiVersion === undefined) throw new LeaderMigrationError(`Object 'apiVersion' is missing in '${text}'`);
  if (group === GROUP && versions.includes(version) && kind === KIND) return version;
  throw new LeaderMigrationError(`no kind ${goQuote(kind)} is registered for version ${goQuote(String(apiVersion))}`);
}

function validate({ leaderName, resourceLock, controllerLeaders }: LeaderMigrationConfig): field.FieldError[] {
  const errors: field.FieldError[] = [];
  if (leaderName === "") {
    const detail = "leaderName must be set for LeaderMigrationConfiguration";
    errors.push(field.required(field.newPath("leaderName"), detail));
  }
  if (resourceLock !== "leases" && resourceLock !== "endpoints") {
    const detail = "resource Lock must be one of 'leases' or 'endpoints'";
    errors.push(field.invalid(field.newPath("resourceLock"), resourceLock, detail));
  }
  (controllerLeaders ?? []).forEach(({ name, component }: ControllerLeader, index) => {
    const path = field.newPath("controllerLeaders").index(index);
    if (component === "") errors.push(field.required(path.child("component"), ""));
    if (name === "") errors.push(field.required(path.child("name"), ""));
  });
  return errors;
}

/** Why the second lock cannot be created; undefined if it can. */
export function lockProblem({ resourceLock }: LeaderMigrationConfig): string | undefined {
  return resourceLock === "endpoints" ? "endpoints lock is removed, migrate to leases" : undefined;
}

/**
 * The lock under which a controller runs here: the main one, the migration one, or none because another program runs
 * it.
 */
export function lockOf(controller: string, config: LeaderMigrationConfig): "main" | "migration" | "none" {
  const leader = (config.controllerLeaders ?? []).findLast(({ name }) => name === controller);
  if (leader === undefined) return "main";
  return leader.component === COMPONENT || leader.component === "*" ? "migration" : "none";
}
