// Paths about the server itself: their list, discovery with every method and with extra slashes, OpenAPI, OpenID, and
// access to them.

import type { JudgeCase, Step } from "./case.ts";
import { applyYaml, asTable, del, get, merge, patch, post } from "./steps.ts";

type Fields = Record<string, unknown>;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const ACCEPTED = [
  "application/json",
  "application/yaml",
  "application/*",
  "text/plain",
  "application/jwk-set+json",
  "*/*",
  "nonsense",
  asTable.accept,
];

/** Paths that only the real server has: checks of its components, and its pages. */
const UNSHARED = /^\/(healthz|livez|readyz)\/|^\/(flagz|statusz|metrics\/slis)$|\.example(\/|$)/;

/** The compared part of a document: without addresses and keys, and without features of only one server. */
function shared(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return sharedText(String(body));
  const document = body as Fields;
  if (document.swagger !== undefined || document.openapi !== undefined) return "a document";
  const { serverAddressByClientCIDRs: _, ...rest } = document;
  if (Array.isArray(rest.paths)) return { ...rest, paths: rest.paths.filter((path: string) => !UNSHARED.test(path)) };
  if (Array.isArray(rest.groups)) return { ...rest, groups: "groups" };
  if (typeof rest.jwks_uri === "string") return { ...rest, jwks_uri: rest.jwks_uri.replace(/^https:\/\/[^/]+/, "") };
  return rest.gitVersion === undefined ? rest : "a version";
}

/** Key sets and the index of OpenAPI have another content type than JSON. */
function sharedText(text: string): unknown {
  if (!text.startsWith("{")) return text;
  const document = JSON.parse(text) as { paths?: Fields; keys?: Fields[] };
  if (document.paths !== undefined) return Object.keys(document.paths).filter((path) => path === "api/v1");
  const isDrawn = (name: string): boolean => name === "kid" || name === "x" || name === "y";
  return document.keys?.map((key) =>
    Object.entries(key).map(([name, value]) => [name, isDrawn(name) ? String(value).length : value]),
  );
}

const seen = (step: Step): Step => ({ ...step, view: step.method === "HEAD" ? () => "" : shared });
const withEach = (methods: readonly string[], paths: readonly string[]): Step[] =>
  paths.flatMap((target) => methods.map((method) => seen({ method, target })));
const accepting = (paths: readonly string[]): Step[] =>
  paths.flatMap((target) => ACCEPTED.map((accept) => seen(get(target, { accept }))));

const as = (user: string, ...groups: string[]): Record<string, string> => ({
  "impersonate-user": user,
  ...(groups.length === 0 ? {} : { "impersonate-group": groups.join(",") }),
});

const TEMPLATES = "/api/v1/namespaces/$ns/podtemplates";
const template = {
  metadata: { name: "a" },
  template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
};
const ISSUER = ["/.well-known/openid-configuration", "/openid/v1/jwks"];

export const serverPathCases: readonly JudgeCase[] = [
  {
    name: "the list of paths",
    steps: [...withEach(METHODS, ["/", "/index.html", "//"]), ...accepting(["/"]), seen(get("/?pretty=0"))],
  },
  {
    name: "machinery/7.1.r2 discovery, whatever the method",
    steps: withEach(METHODS, [
      "/api",
      "/api/v1",
      "/api/v9",
      "/apis",
      "/apis/apps",
      "/apis/apps/v1",
      "/apis/apps/v9",
      "/apis/judge.example",
      "/apis/judge.example/v1",
      "/apis/judge.example/v9",
      "/apis/nonsense.example",
      "/apis/nonsense.example/v1",
    ]),
  },
  {
    name: "machinery/7.1.r2 discovery, in forms of the client's choice",
    steps: accepting(["/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/apis/judge.example/v1", "/version"]),
  },
  {
    name: "machinery/7.1.r2 slashes too many",
    steps: withEach(
      ["GET", "POST"],
      [
        ...["//api", "//api/v1", "/api/", "/api//", "/api//v1", "/api/v1/", "/api/v1//", "//api/v1/namespaces"],
        ...["/api//v1/namespaces", "/api/v1//namespaces", "/api/v1/namespaces//default"],
        ...["//apis", "/apis/", "/apis//", "//apis/apps", "/apis//apps", "/apis/apps/", "/apis/apps//"],
        ...["/apis/apps//v1", "/apis/apps/v1/", "/apis/apps/v1//", "/apis//apps/v1/deployments"],
        ...["/apis/apps//v1/deployments", "/apis/apps/v1//deployments", "//apis/judge.example/v1/gadgets"],
        ...["/apis/judge.example/", "/apis/judge.example//", "/apis/judge.example//v1", "/apis/judge.example/v1//"],
        ...["/apis//judge.example/v1/gadgets", "/apis/judge.example/v1//gadgets"],
        ...["//version", "/version/", "/version//", "//healthz", "/healthz/", "/livez/", "/readyz/", "/healthz/ping/"],
        ...["//openapi/v3", "/openapi/v3/", "/openapi/v2/", "/openapi", "//nonsense", "/nonsense"],
      ],
    ),
  },
  {
    name: "machinery/7.1.r1 health and version, whatever the method",
    steps: withEach(METHODS, ["/healthz", "/livez", "/readyz", "/livez/ping", "/version"]),
  },
  {
    name: "machinery/8.r12 the time that a request asks for",
    steps: [
      ...["invalid", "5", "1x", "-", "", "0", "0s", "-1s", "3m", "1h30m", "9999999h"].map((time) =>
        seen(get(`/version?timeout=${time}`)),
      ),
      get("/healthz?timeout=invalid"),
      get("/api/v1/namespaces/$ns/configmaps?timeout=invalid"),
      get("/api/v1/namespaces/$ns/configmaps?timeout=20s"),
      get("/api/v1/namespaces/$ns/configmaps?watch=1&timeoutSeconds=1&resourceVersion=0&timeout=invalid"),
      post("/api/v1/namespaces/$ns/configmaps?timeout=invalid", { metadata: { name: "a" } }),
      post("/api/v1/namespaces/$ns/configmaps?timeout=1m", { metadata: { name: "a" } }),
      get("/nonsense?timeout=invalid"),
      get("/api/v1/nodes?timeout=invalid", as("nobody")),
    ],
  },
  {
    name: "machinery/7.1.r21 OpenAPI v3: its index, and documents by hash",
    steps: [
      ...withEach(METHODS, ["/openapi/v3", "/openapi/v3/api/v1", "/openapi/v3/nonsense", "/openapi/v3/api/v1/"]),
      ...accepting(["/openapi/v3", "/openapi/v3/api/v1"]),
      { ...seen(get("/openapi/v3/api/v1")), capture: { tag: "headers.etag" } },
      seen(get("/openapi/v3/api/v1", { "if-none-match": "$tag" })),
      seen(get("/openapi/v3/api/v1?hash=nonsense")),
      seen(get("/openapi/v3/apis/nonsense.example/v1?hash=x")),
    ],
  },
  {
    name: "machinery/7.2.r5 who issues tokens, and the keys to check them",
    steps: [
      ...withEach(METHODS, [...ISSUER, ...ISSUER.map((path) => `${path}/`)]),
      ...accepting(ISSUER),
      ...["/openid", "/openid/v1", "/.well-known", "//openid/v1/jwks"].map((path) => seen(get(path))),
    ],
  },
  {
    name: "metrics of requests, and of what is stored",
    steps: [
      post(TEMPLATES, template),
      post(`${TEMPLATES}?dryRun=All`, template),
      get(`${TEMPLATES}/a`),
      get(`${TEMPLATES}/none`),
      get(`${TEMPLATES}?watch=1&timeoutSeconds=1&resourceVersion=0`),
      patch(`${TEMPLATES}/a`, merge, { metadata: { labels: { a: "b" } } }),
      patch(`${TEMPLATES}/a?fieldManager=x`, applyYaml, { apiVersion: "v1", kind: "PodTemplate", ...template }),
      del(`${TEMPLATES}/a`),
      del(TEMPLATES),
      { ...get("/metrics"), view: shownMetrics },
      { ...get("/metrics"), view: countedTemplates },
      ...["POST", "PUT", "PATCH", "OPTIONS"].map(
        (method): Step => ({ method, target: "/metrics", view: shownMetrics }),
      ),
      { ...get("/metrics", { accept: "application/json" }), view: shownMetrics },
      get("/metrics/"),
      get("//metrics"),
    ],
  },
  {
    name: "who may look at the server itself",
    steps: ["/", "/metrics", "/version", "/healthz", "/livez/ping", "/api", "/openapi/v3", ...ISSUER].flatMap((path) =>
      [
        as("system:anonymous"),
        as("carol"),
        as("system:serviceaccount:default:default"),
        as("scraper", "system:monitoring"),
      ].map((headers): Step => ({ ...get(path, headers), view: refusalOf })),
    ),
  },
];

/**
 * The labels of counted requests for pod templates, with the values that they count towards; no other case writes pod
 * templates.
 */
function countedTemplates(text: string): unknown {
  const lines = text.matchAll(/^(apiserver_request_total|apiserver_request_duration_seconds_count)\{(.*)\} \d+$/gm);
  return [...lines]
    .filter(([, , labels = ""]) => labels.includes('resource="podtemplates"') && !labels.includes('verb="LIST"'))
    .map(([, name, labels]) => `${name} ${labels}`)
    .sort();
}

const SHOWN = ["request_total", "request_duration_seconds", "current_inflight_requests", "longrunning_requests"];

/** Names, stability and types; our help texts differ. */
function shownMetrics(text: string): unknown {
  const names = [...SHOWN, "resource_objects", "storage_objects"].map((name) => `apiserver_${name}`);
  return names.map((name) => [
    name,
    new RegExp(`^# HELP ${name} (\\[[A-Z]+\\](?: \\(.*?\\))?)`, "m").exec(text)?.[1],
    new RegExp(`^# TYPE ${name} (.*)$`, "m").exec(text)?.[1],
  ]);
}

/** Compares whether access is refused, not the content. */
function refusalOf(body: unknown): unknown {
  const { kind, message } = (body ?? {}) as Fields;
  return kind === "Status" ? message : "seen";
}
