// 5,000 random questions about authorization, over all bootstrap roles and 100 generated ones, from one seed. Half of a
// question comes from a rule that may grant it, so that many are allowed and others are almost allowed.

import { featureGateTable } from "#api/feature-gate-table.ts";
import { fnv128a, utf8Bytes } from "#api/fnv.ts";
import type { PolicyRule, Subject } from "#api/generated/types/rbac-v1.ts";
import { BOOTSTRAP_POLICY } from "#apiserver/generated/bootstrap-policy.ts";
import { bootstrapPolicyOf, type PolicyEntry } from "#apiserver/rbac/policy-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import type { Rng } from "#base/rng.ts";
import { seededRng } from "#base/seeded-rng.ts";
import type { Subject as Server } from "./exchange.ts";
import { chance, pick, some } from "./fuzz-random.ts";

const SEED = "access questions";
const QUESTIONS = 5000;
const ROLES = 100;
const GROUP = "rbac.authorization.k8s.io";
const RBAC = `/apis/${GROUP}/v1`;
const REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
const NAMESPACES = ["access-a", "access-b", "kube-system", "kube-public", "default"];
const OWN_NAMESPACES = ["access-a", "access-b"];

const VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "use", "bind", "*"];
const GROUPS = ["", "apps", "batch", "coordination.k8s.io", "rbac.authorization.k8s.io", "example.com", "*"];
const RESOURCES = ["pods", "pods/log", "secrets", "configmaps", "deployments", "deployments/scale", "leases", "things"];
const WIDE_RESOURCES = ["*", "*/scale", "*/status", "*/log"];
const NAMES = ["a", "b", "kube-controller-manager", "extension-apiserver-authentication", "*"];
const PATHS = [
  "/healthz",
  "/healthz/etcd",
  "/livez",
  "/metrics",
  "/metrics/slis",
  "/api",
  "/apis/apps",
  "/version/",
  "/x",
  "*",
];
const USERS = ["ann", "ben", "system:kube-scheduler", "system:anonymous"];
const USER_GROUPS = [
  "ops",
  "dev",
  "system:authenticated",
  "system:serviceaccounts",
  "system:monitoring",
  "system:nodes",
];

interface Question {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly resourceAttributes?: Readonly<Record<string, string>>;
  readonly nonResourceAttributes?: Readonly<Record<string, string>>;
}

interface Grant {
  readonly rule: PolicyRule;
  readonly subjects: readonly Subject[];
  /** "" for the whole cluster. */
  readonly namespace: string;
}

export interface AccessWorld {
  /** The objects to create before asking: path and object. */
  readonly objects: readonly (readonly [path: string, object: object])[];
  readonly questions: readonly Question[];
}

export function accessWorld(): AccessWorld {
  const rng = seededRng(SEED);
  const objects: (readonly [string, object])[] = OWN_NAMESPACES.map((name) => [
    "/api/v1/namespaces",
    { metadata: { name } },
  ]);
  const grants = bootstrapGrants(rng, objects);
  for (let index = 0; index < ROLES; index++) grants.push(...generatedGrants(rng, index, objects));
  return { objects, questions: Array.from({ length: QUESTIONS }, () => questionOf(rng, grants)) };
}

/** The grants of bootstrap roles. Each role gets a binding, because some have none by default. */
function bootstrapGrants(rng: Rng, objects: (readonly [string, object])[]): Grant[] {
  const gates = new FeatureGates(featureGateTable(), "1.36");
  const policy = bootstrapPolicyOf(JSON.parse(BOOTSTRAP_POLICY) as PolicyEntry[], gates);
  const grants: Grant[] = [];
  for (const role of [...policy.clusterRoles, ...policy.roles]) {
    const { name = "", namespace = "" } = role.metadata ?? {};
    const bindings = namespace === "" ? policy.clusterRoleBindings : policy.roleBindings;
    const own = bindings.find(
      ({ roleRef, metadata }) => roleRef.name === name && (metadata?.namespace ?? "") === namespace,
    );
    let subjects = own?.subjects ?? [];
    let scope = namespace;
    if (subjects.length === 0) {
      subjects = [drawnSubject(rng)];
      scope = chance(rng, 50) ? "" : pick(rng, OWN_NAMESPACES);
      objects.push(bindingOf(`bootstrap-${objects.length}`, scope, { kind: "ClusterRole", name }, subjects));
    }
    for (const rule of role.rules ?? []) grants.push({ rule, subjects, namespace: scope });
  }
  return grants;
}

function generatedGrants(rng: Rng, index: number, objects: (readonly [string, object])[]): Grant[] {
  const isClusterRole = chance(rng, 50);
  const namespace = isClusterRole && chance(rng, 50) ? "" : pick(rng, OWN_NAMESPACES);
  const name = `generated-${index}`;
  const rules = Array.from({ length: 1 + rng.below(4) }, () => drawnRule(rng, isClusterRole));
  const kind = isClusterRole ? "ClusterRole" : "Role";
  const place = isClusterRole ? `${RBAC}/clusterroles` : `${RBAC}/namespaces/${namespace}/roles`;
  // A few bindings name a role that does not exist.
  if (!chance(rng, 3)) objects.push([place, { metadata: { name }, rules }]);
  const subjects = Array.from({ length: 1 + rng.below(3) }, () => drawnSubject(rng));
  objects.push(bindingOf(name, namespace, { kind, name }, subjects));
  return rules.map((rule) => ({ rule, subjects, namespace }));
}

function bindingOf(
  name: string,
  namespace: string,
  role: { readonly kind: string; readonly name: string },
  subjects: readonly Subject[],
): readonly [string, object] {
  const path = namespace === "" ? `${RBAC}/clusterrolebindings` : `${RBAC}/namespaces/${namespace}/rolebindings`;
  return [path, { metadata: { name }, roleRef: { apiGroup: GROUP, ...role }, subjects }];
}

function drawnRule(rng: Rng, mayNamePaths: boolean): PolicyRule {
  const verbs = atLeastOne(rng, VERBS, 4);
  if (mayNamePaths && chance(rng, 20)) {
    const urls = atLeastOne(rng, PATHS, 3);
    return { verbs, nonResourceURLs: urls.map((url) => (url !== "*" && chance(rng, 30) ? `${url}*` : url)) };
  }
  const resources = atLeastOne(rng, chance(rng, 20) ? WIDE_RESOURCES : RESOURCES, 3);
  const resourceNames = chance(rng, 25) ? atLeastOne(rng, NAMES, 2) : [];
  return {
    verbs,
    apiGroups: atLeastOne(rng, GROUPS, 2),
    resources,
    ...(resourceNames.length > 0 && { resourceNames }),
  };
}

function atLeastOne(rng: Rng, items: readonly string[], max: number): readonly string[] {
  const chosen = some(rng, items, max);
  return chosen.length > 0 ? chosen : [pick(rng, items)];
}

function drawnSubject(rng: Rng): Subject {
  const kind = pick(rng, ["User", "Group", "ServiceAccount"]);
  if (kind === "ServiceAccount")
    return { kind, name: pick(rng, ["default", "robot"]), namespace: pick(rng, NAMESPACES) };
  return { kind, name: pick(rng, kind === "User" ? USERS : USER_GROUPS), apiGroup: GROUP };
}

function questionOf(rng: Rng, grants: readonly Grant[]): Question {
  const { rule, subjects, namespace } = pick(rng, grants);
  const subject = chance(rng, 75) && subjects.length > 0 ? pick(rng, subjects) : drawnSubject(rng);
  const drawn = <T extends string>(own: readonly T[] | undefined, others: readonly T[]): T =>
    pick(rng, own !== undefined && own.length > 0 && chance(rng, 80) ? own : others);
  const who = askerOf(rng, subject);
  const verb = drawn(rule.verbs, VERBS);
  const urls = rule.nonResourceURLs ?? [];
  if (urls.length > 0 ? chance(rng, 95) : chance(rng, 3)) {
    const path = drawn(urls, PATHS).replace("*", chance(rng, 50) ? "" : "more");
    return { ...who, nonResourceAttributes: { verb, path } };
  }
  const whole = drawn(rule.resources, [...RESOURCES, ...WIDE_RESOURCES]);
  const [resource = "", subresource = ""] = (whole === "*" ? pick(rng, RESOURCES) : whole).split("/");
  const name = chance(rng, 60) || rule.resourceNames !== undefined ? drawn(rule.resourceNames, NAMES) : "";
  const scope = chance(rng, 80) && namespace !== "" ? namespace : pick(rng, ["", ...NAMESPACES]);
  const attributes = {
    verb,
    group: drawn(rule.apiGroups, GROUPS),
    resource: resource === "*" ? "deployments" : resource,
    subresource,
    name,
    namespace: scope,
  };
  return {
    ...who,
    resourceAttributes: Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== "")),
  };
}

function askerOf(rng: Rng, { kind, name, namespace = "default" }: Subject): Pick<Question, "user" | "groups"> {
  const extra = some(rng, USER_GROUPS, 1);
  if (kind === "Group") return { user: pick(rng, USERS), groups: [...new Set([...extra, name])] };
  if (kind === "User") return { user: name, ...(extra.length > 0 && { groups: extra }) };
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return { user: `system:serviceaccount:${namespace}:${name}`, ...(chance(rng, 70) && { groups }) };
}

/**
 * Creates the objects and asks the questions. Returns a letter for each answer: "y", "n", or "m" if the answer names a
 * missing role.
 */
export async function askAll(server: Server, { objects, questions }: AccessWorld): Promise<string> {
  for (const [target, body] of objects) {
    const { status, body: answer } = await server.ask({ method: "POST", target, body });
    if (status !== 201) throw new Error(`${target}: ${JSON.stringify(answer)}`);
  }
  await untilKnown(server);
  let letters = "";
  for (const spec of questions) letters += letterOf(await review(server, spec));
  return letters;
}

interface ReviewStatus {
  readonly allowed: boolean;
  readonly reason?: string;
}

async function review(server: Server, spec: Question): Promise<ReviewStatus> {
  const { status, body } = await server.ask({ method: "POST", target: REVIEWS, body: { spec } });
  if (status !== 201) throw new Error(`${JSON.stringify(spec)}: ${JSON.stringify(body)}`);
  return (body as { status: ReviewStatus }).status;
}

function letterOf({ allowed, reason = "" }: ReviewStatus): string {
  if (allowed) return reason.startsWith("RBAC: allowed by ") || reason === "" ? "y" : "?";
  return reason === "" ? "n" : reason.startsWith("RBAC: ") && reason.includes("not found") ? "m" : "?";
}

/** The caches of the real server lag. It knows all objects of a kind once the last one takes effect. */
async function untilKnown(server: Server): Promise<void> {
  const probes: readonly (readonly [path: string, kind: string, namespace: string])[] = [
    [`${RBAC}/clusterroles`, "ClusterRole", ""],
    [`${RBAC}/namespaces/access-a/roles`, "Role", "access-a"],
  ];
  for (const [path, kind, namespace] of probes) {
    const name = `probe-${kind.toLowerCase()}`;
    const rules = [{ verbs: ["probe"], apiGroups: ["probe"], resources: ["probes"] }];
    await server.ask({ method: "POST", target: path, body: { metadata: { name }, rules } });
    const [target, body] = bindingOf(name, namespace, { kind, name }, [{ kind: "User", name, apiGroup: GROUP }]);
    await server.ask({ method: "POST", target, body });
    const resourceAttributes = { verb: "probe", group: "probe", resource: "probes", ...(namespace && { namespace }) };
    for (let attempt = 0; !(await review(server, { user: name, resourceAttributes })).allowed; attempt++) {
      if (attempt > 200) throw new Error(`${name} does not count`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

export interface AccessRecord {
  /** A hash of the questions: a recording is valid only for these. */
  readonly questions: string;
  readonly answers: readonly string[];
}

export const digestOf = (world: AccessWorld): string => fnv128a(utf8Bytes(JSON.stringify(world)));

export function inLines(letters: string): readonly string[] {
  return letters.match(/.{1,100}/g) ?? [];
}

export const RECORD_FILE = "test/judge/recorded/access-questions.json";
