// Authorization by roles: granted and refused requests, privilege escalation, and impersonation.

import type { JudgeCase, Step } from "./case.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const NS = `${RBAC}/namespaces/$ns`;
const CORE = "/api/v1/namespaces/$ns";
const AUTHORIZATION = "/apis/authorization.k8s.io/v1";
const WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const GROUP = "rbac.authorization.k8s.io";

type Headers = Readonly<Record<string, string>>;

const step =
  (method: string) =>
  (target: string, body?: unknown, more: Partial<Step> = {}): Step => ({
    method,
    target,
    ...(body !== undefined && { body }),
    ...more,
  });
const get = (target: string, more: Partial<Step> = {}): Step => ({ method: "GET", target, ...more });
const [post, put] = [step("POST"), step("PUT")];
const patch = (target: string, body: unknown, headers: Headers = {}): Step => ({
  method: "PATCH",
  target,
  body,
  headers: { "Content-Type": "application/merge-patch+json", ...headers },
});
const del = (target: string): Step => ({ method: "DELETE", target });

const as = (user: string, more: Headers = {}): Headers => ({ "Impersonate-User": user, ...more });
const BOB = as("$ns-bob");
const asBob = (each: Step): Step => ({ ...each, headers: { ...each.headers, ...BOB } });

const rule = (verbs: string, groups: string, resources: string, names?: string): object => ({
  verbs: verbs.split(","),
  apiGroups: groups.split(","),
  resources: resources.split(","),
  ...(names && { resourceNames: names.split(",") }),
});
const urls = (verbs: string, paths: string): object => ({ verbs: verbs.split(","), nonResourceURLs: paths.split(",") });
const role = (name: string, ...rules: object[]): object => ({ metadata: { name }, rules });
const user = (name: string): object => ({ kind: "User", name });
const binding = (name: string, ref: string, ...subjects: object[]): object => {
  const [kind, role] = ref.split(" ");
  return { metadata: { name }, roleRef: { apiGroup: GROUP, kind, name: role }, subjects };
};

/** Creates a cluster role of this name for user $ns-bob and waits until the server applies it. */
const granted = (name: string, ...rules: object[]): readonly Step[] => [
  post(`${RBAC}/clusterroles`, role(`$ns-${name}`, ...rules)),
  post(`${RBAC}/clusterrolebindings`, binding(`$ns-${name}`, `ClusterRole $ns-${name}`, user("$ns-bob"))),
];
const gone = (name: string): readonly Step[] => [
  del(`${RBAC}/clusterrolebindings/$ns-${name}`),
  del(`${RBAC}/clusterroles/$ns-${name}`),
];
const WRITES = "create,update,patch,get";
const MANAGES = rule(WRITES, GROUP, "roles,rolebindings,clusterroles,clusterrolebindings");

const decisions: readonly JudgeCase[] = [
  {
    name: "machinery/7.5.r2 refusals name user, verb, resource and scope",
    steps: [
      asBob(get(`${CORE}/pods`)),
      asBob(get(`${CORE}/pods/a/log`)),
      asBob(get("/api/v1/nodes/n")),
      asBob(get("/apis/apps/v1/deployments?watch=1")),
      asBob(get("/metrics")),
      asBob(get("/healthz")),
      asBob(get("/livez/ping")),
      asBob(get("/no/such/path")),
      asBob({ method: "POST", target: "/version" }),
      asBob(post(`${CORE}/configmaps`, { metadata: { name: "a" } })),
      asBob({ method: "DELETE", target: `${CORE}/configmaps` }),
      { ...asBob(get(`${CORE}/pods`)), headers: as('<a> & "b"') },
    ],
  },
  {
    name: "machinery/7.5.r2 a binding grants, its role may be missing, and both may go",
    steps: [
      post(`${NS}/rolebindings`, binding("b", "Role reader", user("$ns-bob")), { awaits: 201 }),
      {
        ...asBob(get(`${CORE}/configmaps`)),
        awaitsValue: [
          "message",
          'configmaps is forbidden: User "$ns-bob" cannot list resource "configmaps" in API group "" in the namespace "$ns": RBAC: role.rbac.authorization.k8s.io "reader" not found',
        ],
      },
      post(`${NS}/roles`, role("reader", rule("get,list", "", "configmaps", ""), rule("get", "", "secrets", "a"))),
      { ...asBob(get(`${CORE}/configmaps`)), awaits: 200, view: () => "" },
      asBob(get(`${CORE}/secrets/a`)),
      asBob(get(`${CORE}/secrets/b`)),
      post(`${AUTHORIZATION}/subjectaccessreviews`, {
        spec: {
          user: "$ns-bob",
          resourceAttributes: { verb: "get", resource: "secrets", name: "a", namespace: "$ns" },
        },
      }),
      post(`${AUTHORIZATION}/namespaces/$ns/localsubjectaccessreviews`, {
        metadata: { namespace: "$ns" },
        spec: { user: "$ns-bob", resourceAttributes: { verb: "list", resource: "configmaps", namespace: "$ns" } },
      }),
      asBob(
        post(`${AUTHORIZATION}/selfsubjectaccessreviews`, {
          spec: { resourceAttributes: { verb: "list", resource: "configmaps", namespace: "$ns" } },
        }),
      ),
      asBob(
        post(`${AUTHORIZATION}/selfsubjectaccessreviews`, {
          // Only one binding grants this: with two, the binding that the reason names is random.
          spec: { nonResourceAttributes: { verb: "get", path: "/apis" } },
        }),
      ),
      asBob(post(`${AUTHORIZATION}/subjectaccessreviews`, { spec: { user: "x", resourceAttributes: {} } })),
      del(`${NS}/rolebindings/b`),
      { ...asBob(get(`${CORE}/configmaps`)), awaits: 403 },
    ],
  },
];

const escalations: readonly JudgeCase[] = [
  {
    name: "machinery/7.5.r8 a role gets no rights that its writer does not hold",
    steps: [
      ...granted(
        "writer",
        MANAGES,
        rule("get,list", "", "pods"),
        rule("get", "", "secrets", "a"),
        urls("get", "/healthz/*"),
      ),
      { ...asBob(post(`${NS}/roles`, role("held", rule("get", "", "pods")))), awaits: 201 },
      asBob(post(`${NS}/roles`, role("more", rule("get,list,watch,delete", "", "pods,secrets")))),
      asBob(post(`${NS}/roles`, role("named", rule("get", "", "secrets", "a")))),
      asBob(post(`${NS}/roles`, role("names", rule("get", "", "secrets", "a,b")))),
      asBob(post(`${NS}/roles`, role("all", rule("*", "*", "*")))),
      asBob(post(`${RBAC}/clusterroles`, role("$ns-urls", urls("get", "/healthz/a")))),
      asBob(post(`${RBAC}/clusterroles`, role("$ns-other", urls("get,post", "/livez,/healthz/a")))),
      asBob(post(`${NS}/roles`, { metadata: { name: "not valid!" }, rules: [rule("list", "", "secrets")] })),
      asBob(post(`${NS}/roles`, { metadata: { generateName: "g-" }, rules: [rule("list", "", "secrets")] })),
      asBob(post(`${NS}/roles?dryRun=All`, role("dry", rule("list", "", "secrets")))),
      asBob(put(`${NS}/roles/held`, role("held", rule("get,list", "", "pods")))),
      asBob(put(`${NS}/roles/held`, role("held", rule("watch", "", "pods")))),
      asBob(put(`${NS}/roles/new`, role("new", rule("watch", "", "pods")))),
      asBob(put(`${NS}/roles/new`, role("new", rule("get", "", "pods")))),
      post(`${NS}/roles`, role("strong", rule("*", "*", "*"))),
      asBob(patch(`${NS}/roles/strong`, { metadata: { labels: { a: "b" } } })),
      asBob(patch(`${NS}/roles/strong`, { metadata: { finalizers: ["example.com/a"] } })),
      asBob(patch(`${NS}/roles/strong`, { metadata: { finalizers: null } })),
      asBob(patch(`${NS}/roles/strong`, { rules: [rule("get", "", "pods")] })),
      ...gone("writer"),
    ],
  },
  {
    name: "machinery/7.5.r8 an aggregated role takes all rights",
    steps: [
      ...granted("writer", MANAGES),
      { ...asBob(get(`${RBAC}/clusterroles/view`)), awaits: 200, view: () => "" },
      asBob(
        post(`${RBAC}/clusterroles`, {
          metadata: { name: "$ns-a" },
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "$ns" } }] },
        }),
      ),
      asBob(
        post(`${RBAC}/clusterroles`, {
          metadata: { name: "$ns-b" },
          rules: [rule("get", "", "pods")],
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "$ns" } }] },
        }),
      ),
      asBob(
        post(`${RBAC}/clusterroles`, { metadata: { name: "$ns-c" }, aggregationRule: { clusterRoleSelectors: [] } }),
      ),
      post(`${RBAC}/clusterroles`, {
        metadata: { name: "$ns-d" },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "$ns" } }] },
      }),
      asBob(patch(`${RBAC}/clusterroles/$ns-d`, { metadata: { labels: { x: "y" } } })),
      asBob(patch(`${RBAC}/clusterroles/$ns-d`, { aggregationRule: null })),
      del(`${RBAC}/clusterroles/$ns-d`),
      ...gone("writer"),
    ],
  },
  {
    name: "machinery/7.5.r8 the verb escalate lets a user write any role",
    steps: [
      ...granted("writer", MANAGES, rule("escalate", GROUP, "roles"), rule("escalate", GROUP, "clusterroles", "$ns-x")),
      { ...asBob(post(`${NS}/roles`, role("any", rule("*", "*", "*")))), awaits: 201 },
      asBob(post(`${RBAC}/clusterroles`, role("$ns-x", rule("*", "*", "*")))),
      post(`${RBAC}/clusterroles`, role("$ns-x", rule("get", "", "pods"))),
      asBob(patch(`${RBAC}/clusterroles/$ns-x`, { rules: [rule("*", "*", "*")] })),
      del(`${RBAC}/clusterroles/$ns-x`),
      ...gone("writer"),
    ],
  },
  {
    name: "machinery/7.5.r8 a binding takes the rights of its role, or the verb bind",
    steps: [
      post(`${NS}/roles`, role("weak", rule("get", "", "pods"))),
      post(`${NS}/roles`, role("strong", rule("get,list", "", "secrets"))),
      post(`${NS}/roles`, role("bindable", rule("*", "", "secrets"))),
      ...granted(
        "writer",
        MANAGES,
        rule("get", "", "pods"),
        rule("bind", GROUP, "roles", "bindable"),
        rule("bind", GROUP, "clusterroles", "system:discovery"),
      ),
      { ...asBob(post(`${NS}/rolebindings`, binding("a", "Role weak", user("x")))), awaits: 201 },
      asBob(post(`${NS}/rolebindings`, binding("b", "Role strong", user("x")))),
      asBob(post(`${NS}/rolebindings`, binding("c", "Role bindable", user("x")))),
      asBob(post(`${NS}/rolebindings`, binding("d", "Role none", user("x")))),
      asBob(post(`${NS}/rolebindings`, binding("e", "ClusterRole none", user("x")))),
      asBob(post(`${NS}/rolebindings`, binding("f", "Thing none", user("x")))),
      asBob(post(`${NS}/rolebindings`, binding("g", "ClusterRole system:kube-scheduler", user("x")))),
      asBob(post(`${NS}/rolebindings`, binding("h", "ClusterRole system:discovery", user("x")))),
      asBob(post(`${RBAC}/clusterrolebindings`, binding("$ns-i", "ClusterRole system:discovery", user("x")))),
      asBob(post(`${RBAC}/clusterrolebindings`, binding("$ns-j", "ClusterRole cluster-admin", user("x")))),
      asBob(post(`${RBAC}/clusterrolebindings`, binding("$ns-k", "Role weak", user("x")))),
      post(`${NS}/rolebindings`, binding("l", "Role strong", user("x"))),
      asBob(patch(`${NS}/rolebindings/l`, { subjects: [user("y")] })),
      asBob(patch(`${NS}/rolebindings/l`, { metadata: { ownerReferences: [] } })),
      asBob(put(`${NS}/rolebindings/m`, binding("m", "Role strong", user("x")))),
      asBob(patch(`${NS}/rolebindings/a`, { subjects: [user("y")] })),
      del(`${RBAC}/clusterrolebindings/$ns-i`),
      ...gone("writer"),
    ],
  },
  {
    name: "machinery/7.5.r8 roles that are missing show in the refusal",
    steps: [
      ...granted("writer", MANAGES),
      { ...asBob(get(`${RBAC}/clusterroles/view`)), awaits: 200, view: () => "" },
      post(`${RBAC}/clusterrolebindings`, binding("$ns-lost", "ClusterRole $ns-lost", user("$ns-bob"))),
      {
        ...asBob(get("/api/v1/nodes")),
        awaitsValue: [
          "message",
          'nodes is forbidden: User "$ns-bob" cannot list resource "nodes" in API group "" at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io "$ns-lost" not found',
        ],
      },
      asBob(post(`${NS}/roles`, role("more", rule("get", "", "pods")))),
      del(`${RBAC}/clusterrolebindings/$ns-lost`),
      ...gone("writer"),
    ],
  },
];

const self = (headers: Headers): Step => post(WHO, {}, { headers });

const impersonations: readonly JudgeCase[] = [
  {
    name: "machinery/7.5.r8 an impersonated user has the groups that follow from its name or are given",
    steps: [
      self(as("alice")),
      self(as("alice", { "Impersonate-Group": "ops" })),
      self(as("alice", { "Impersonate-Group": "system:authenticated" })),
      self(as("alice", { "Impersonate-Group": "system:masters" })),
      self(
        as("alice", {
          "Impersonate-Uid": "u1",
          "Impersonate-Extra-Team": "blue",
          "Impersonate-Extra-acme.com%2fproject": "p",
        }),
      ),
      self(as("system:serviceaccount:$ns:robot")),
      self(as("system:serviceaccount:$ns:robot", { "Impersonate-Group": "system:masters" })),
      self(as("system:serviceaccount:No:robot")),
      self(as("system:node:n1")),
      self(as("system:node:n1", { "Impersonate-Group": "system:masters" })),
      self(as("system:node:Not_A_Node")),
      self(as("system:anonymous")),
      self(as("system:anonymous", { "Impersonate-Group": "system:authenticated" })),
      get("/version", { headers: { "Impersonate-Group": "ops" } }),
      get("/version", { headers: { "Impersonate-Uid": "u" } }),
      get("/version", { headers: { "Impersonate-Extra-a": "b" } }),
    ],
  },
];

/** Uses a token of the service account bob, which is not an administrator. */
const TOKEN = `${CORE}/serviceaccounts/bob/token`;
const asAccount = (each: Step, more: Headers): Step => ({
  ...each,
  headers: { Authorization: "Bearer $token", ...more },
  withoutCertificate: true,
});
const AUTHENTICATION = "authentication.k8s.io";
const ACCOUNT = { kind: "ServiceAccount", name: "bob", namespace: "$ns" };
const account = (...rules: object[]): readonly Step[] => [
  post(`${CORE}/serviceaccounts`, { metadata: { name: "bob" } }),
  post(TOKEN, {}, { capture: { token: "status.token" } }),
  post(`${RBAC}/clusterroles`, role("$ns-imp", ...rules)),
  post(`${RBAC}/clusterrolebindings`, binding("$ns-imp", "ClusterRole $ns-imp", ACCOUNT)),
  { ...asAccount(get("/api/v1/nodes"), {}), awaits: 200, view: () => "" },
];
const READY = rule("list", "", "nodes");
const CONFIG_MAPS = `${CORE}/configmaps`;
const withoutAccount: readonly Step[] = [
  del(`${RBAC}/clusterrolebindings/$ns-imp`),
  del(`${RBAC}/clusterroles/$ns-imp`),
];

const constrained: readonly JudgeCase[] = [
  {
    name: "machinery/7.5.r8 who may not impersonate is told which right is missing",
    steps: [
      ...account(READY),
      asAccount(get(CONFIG_MAPS), as("alice")),
      asAccount(get("/version"), as("alice")),
      asAccount(get(CONFIG_MAPS), as("system:serviceaccount:$ns:robot")),
      asAccount(get(CONFIG_MAPS), as("system:node:n1")),
      asAccount(get(CONFIG_MAPS), as("system:node:n1", { "Impersonate-Group": "a" })),
      asAccount(get(CONFIG_MAPS), as("alice", { "Impersonate-Group": "system:masters" })),
      ...withoutAccount,
    ],
  },
  {
    name: "machinery/7.5.r8 the verb impersonate is enough for every part of an identity that it names",
    steps: [
      ...account(
        READY,
        rule("impersonate", "", "users", "alice"),
        rule("impersonate", "", "groups", "ops"),
        rule("impersonate", AUTHENTICATION, "uids", "u1"),
        rule("impersonate", AUTHENTICATION, "userextras/team", "blue"),
        rule("impersonate", "", "serviceaccounts"),
      ),
      asAccount(self({}), as("alice")),
      asAccount(
        self({}),
        as("alice", { "Impersonate-Group": "ops", "Impersonate-Uid": "u1", "Impersonate-Extra-Team": "blue" }),
      ),
      asAccount(self({}), as("system:serviceaccount:$ns:robot")),
      asAccount(self({}), as("carol")),
      asAccount(self({}), as("alice", { "Impersonate-Group": "dev" })),
      asAccount(self({}), as("alice", { "Impersonate-Uid": "u2" })),
      asAccount(self({}), as("alice", { "Impersonate-Extra-Team": "red" })),
      ...withoutAccount,
    ],
  },
  {
    name: "machinery/7.5.r8 constrained modes ask for the other user and for what is done as that one",
    steps: [
      ...account(
        READY,
        rule("impersonate:user-info", AUTHENTICATION, "users", "alice"),
        rule("impersonate:user-info", AUTHENTICATION, "groups", "ops"),
        rule("impersonate:user-info", AUTHENTICATION, "userextras/acme.com/team", "blue"),
        rule("impersonate-on:user-info:list", "", "configmaps"),
        rule("impersonate-on:user-info:create", AUTHENTICATION, "selfsubjectreviews"),
        rule("impersonate:serviceaccount", AUTHENTICATION, "serviceaccounts"),
        rule("impersonate-on:serviceaccount:create", AUTHENTICATION, "selfsubjectreviews"),
        rule("impersonate:arbitrary-node", AUTHENTICATION, "nodes", "n1"),
        rule("impersonate-on:arbitrary-node:create", AUTHENTICATION, "selfsubjectreviews"),
      ),
      asAccount(get(CONFIG_MAPS), as("alice")),
      asAccount(get(`${CORE}/secrets`), as("alice")),
      asAccount(self({}), as("alice")),
      asAccount(self({}), as("alice", { "Impersonate-Group": "ops" })),
      asAccount(self({}), as("alice", { "Impersonate-Group": "dev" })),
      asAccount(self({}), as("alice", { "Impersonate-Group": "system:masters" })),
      asAccount(self({}), as("alice", { "Impersonate-Uid": "u" })),
      asAccount(self({}), as("alice", { "Impersonate-Extra-acme.com%2fteam": "blue" })),
      asAccount(self({}), as("alice", { "Impersonate-Extra-team": "blue" })),
      asAccount(self({}), as("alice", { "Impersonate-Extra-acme.com%2fteam": "" })),
      asAccount(self({}), as("carol")),
      asAccount(self({}), as("system:serviceaccount:$ns:robot")),
      asAccount(get(CONFIG_MAPS), as("system:serviceaccount:$ns:robot")),
      asAccount(self({}), as("system:node:n1")),
      asAccount(self({}), as("system:node:n2")),
      ...withoutAccount,
    ],
  },
];

export const accessCases: readonly JudgeCase[] = [...decisions, ...escalations, ...impersonations, ...constrained];
