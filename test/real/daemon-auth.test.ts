// Access to the daemon's own port, compared with the Go program with the same flags in the same run: same codes, bodies
// and headers.

import { beforeAll, expect, it } from "vitest";
import { issueCertificate, type KeyCertificate } from "#platform/certificates/x509.ts";
import type { ManagerOptions } from "./arguments.ts";
import type { ControlPlane, RunningManager } from "./control-plane.ts";
import { goDaemon, ourDaemon, runToEnd } from "./daemon.ts";
import { callHttps } from "./https.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const HOUR_MS = 3_600_000;
const START_MS = 120_000;

interface Credentials {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly client?: KeyCertificate;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Pages whose text differs between the programs. */
const pages = ["/healthz", "/healthz/ping", "/livez", "/metrics", "/configz", "/nothing", "/api/v1/pods"];
const compared = ["content-type", "cache-control", "x-content-type-options", "www-authenticate", "audit-id"];

describeReal("access to the daemon's port", () => {
  const plane = useControlPlane();
  let users: Readonly<Record<string, Credentials>>;

  beforeAll(async () => {
    await plane().request("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "watchers" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:monitoring" },
      subjects: [
        { kind: "ServiceAccount", namespace: "default", name: "watcher" },
        { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "watcher" },
      ],
    });
    users = await everybody(plane());
  }, START_MS);

  async function startBoth(options: ManagerOptions): Promise<readonly [RunningManager, RunningManager]> {
    const all = { controllers: ["-job-controller"], ...options };
    return await Promise.all([plane().startManager(ourDaemon, all), plane().startManager(goDaemon(), all)]);
  }

  async function ask({ url }: RunningManager, path: string, { headers = {}, client }: Credentials): Promise<Answer> {
    const caPem = plane().pki.ca.certificatePem;
    const answer = await callHttps({ url: url + path, caPem, headers, ...(client === undefined ? {} : { client }) });
    const isOwn = answer.status === 200 && path !== "/healthz";
    return {
      status: answer.status,
      text: isOwn ? "" : answer.text,
      headers: Object.fromEntries(compared.map((name) => [name, answer.headers[name]])),
    };
  }

  async function expectSame([ours, go]: readonly [RunningManager, RunningManager]): Promise<
    Record<string, Record<string, number>>
  > {
    const codes: Record<string, Record<string, number>> = {};
    for (const [user, credentials] of Object.entries(users)) {
      for (const page of pages) {
        const [mine, theirs] = await Promise.all([ask(ours, page, credentials), ask(go, page, credentials)]);
        expect({ user, page, ...mine }).toEqual({ user, page, ...theirs });
        codes[user] = { ...codes[user], [page]: mine.status };
      }
    }
    return codes;
  }

  it(
    "machinery/2.1 answers everybody as the Go program does, with CAs out of files",
    async () => {
      const both = await startBoth({});
      const codes = await expectSame(both);
      expect(codes).toMatchObject({
        anonymous: { "/healthz": 200, "/metrics": 403, "/livez": 404 },
        "token without rights": { "/metrics": 403 },
        "token with system:monitoring": { "/metrics": 200 },
        "token for another audience": { "/metrics": 401 },
        "revoked token": { "/metrics": 401 },
        "master's certificate": { "/configz": 200, "/nothing": 404 },
        "certificate of an unknown CA": { "/healthz": 401 },
        "front proxy for a master": { "/configz": 200 },
        "front proxy for a member of two groups": { "/configz": 200 },
        "front proxy for a member of a group with a comma in its name": { "/configz": 403 },
      });
      await Promise.all(both.map((program) => program.stop()));
    },
    START_MS,
  );

  it(
    "machinery/2.1.3 looks CAs and front proxy headers up in the cluster, and follows their changes",
    async () => {
      const both = await startBoth({ flags: ["--client-ca-file=", "--requestheader-client-ca-file="] });
      const codes = await expectSame(both);
      expect(codes["master's certificate"]?.["/configz"]).toBe(200);
      expect(codes["front proxy for a master"]?.["/configz"]).toBe(200);
      const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
      const { data } = JSON.parse((await plane().request("GET", path)).text) as { data: Record<string, string> };
      const changed = { ...data, "requestheader-allowed-names": '["somebody-else"]' };
      const meta = { name: "extension-apiserver-authentication", namespace: "kube-system" };
      expect((await plane().request("PUT", path, { metadata: meta, data: changed })).status).toBe(200);
      for (const program of both) {
        const proxied = users["front proxy for a master"] ?? {};
        await eventually(async () => ((await ask(program, "/configz", proxied)).status === 401 ? true : undefined));
      }
      await Promise.all(both.map((program) => program.stop()));
    },
    START_MS,
  );

  it(
    "machinery/2.1.3 ignores tokens and certificates when there is nobody to ask",
    async () => {
      const flags = [
        "--client-ca-file=",
        "--requestheader-client-ca-file=",
        "--authentication-kubeconfig=",
        "--authorization-kubeconfig=",
      ];
      const both = await startBoth({ flags });
      const codes = await expectSame(both);
      expect(new Set(Object.values(codes).map((pagesOf) => pagesOf["/metrics"]))).toEqual(new Set([403]));
      await Promise.all(both.map((program) => program.stop()));
    },
    START_MS,
  );

  it(
    "machinery/2.1.7 answers 500 when the API server cannot be asked, but not for open paths",
    async () => {
      const dead = plane().kubeconfigFor({ token: "t" }, "https://127.0.0.1:1");
      const both = await startBoth({ flags: [`--authorization-kubeconfig=${dead}`] });
      for (const path of ["/metrics", "/healthz"]) {
        const [ours, go] = await Promise.all(
          both.map((program) => ask(program, path, users["token with system:monitoring"] ?? {})),
        );
        expect(ours?.status).toBe(go?.status);
        expect(ours?.headers).toEqual(go?.headers);
        expect(ours?.text.slice(0, 36)).toBe(go?.text.slice(0, 36));
      }
      await Promise.all(both.map((program) => program.stop()));
    },
    START_MS,
  );

  it(
    "machinery/2.1.6 opens paths exactly, and by prefix where they end in a star",
    async () => {
      const both = await startBoth({ flags: ["--authorization-always-allow-paths=/metrics/*,configz"] });
      for (const path of ["/metrics", "/metrics/slis", "/configz", "/configz/", "/healthz"]) {
        const [ours, go] = await Promise.all(both.map((program) => ask(program, path, {})));
        expect({ path, ...ours }).toEqual({ path, ...go });
      }
      await Promise.all(both.map((program) => program.stop()));
    },
    START_MS,
  );

  it(
    "machinery/2.1.8, machinery/8.r11 answers as upstream's own matrix wants, and so does the Go program",
    async () => {
      const good = plane().kubeconfigFor({ user: "system:kube-controller-manager" });
      const broken = plane().kubeconfigFor({ token: "WRONGTOKEN" });
      const delegating = (authn: string, authz: string): string[] => [
        `--authentication-kubeconfig=${authn}`,
        `--authorization-kubeconfig=${authz}`,
      ];
      const skip = "--authentication-skip-lookup";
      const open = "--authorization-always-allow-paths=/healthz,/metrics";
      const token = { authorization: `Token ${await plane().tokenFor("default", "watcher")}` };
      const matrix = [
        { flags: delegating("", ""), path: "/healthz", headers: {}, status: 200 },
        { flags: delegating("", ""), path: "/metrics", headers: {}, status: 403 },
        { flags: delegating(good, good), path: "/healthz", headers: token, status: 200 },
        { flags: [skip, ...delegating(broken, broken)], path: "/healthz", headers: token, status: 200 },
        { flags: delegating(good, broken), path: "/metrics", headers: token, status: 500 },
        { flags: [skip, open, ...delegating(broken, broken)], path: "/metrics", headers: token, status: 200 },
      ];
      const none = ["--client-ca-file=", "--requestheader-client-ca-file="];
      for (const { flags, path, headers, status } of matrix) {
        const both = await startBoth({ flags: [...none, ...flags] });
        const codes = await Promise.all(both.map(async (program) => (await ask(program, path, { headers })).status));
        expect({ flags, path, codes }).toEqual({ flags, path, codes: [status, status] });
        await Promise.all(both.map((program) => program.stop("SIGKILL")));
      }
      for (const command of [ourDaemon, goDaemon()]) expect((await runToEnd(command, [])).code).toBe(1);
    },
    START_MS,
  );

  it(
    "machinery/2.1.4 remembers answers about tokens for a while",
    async () => {
      const ours = await plane().startManager(ourDaemon, { controllers: ["-job-controller"] });
      const token = users["token with system:monitoring"] ?? {};
      for (let i = 0; i < 5; i++) expect((await ask(ours, "/metrics", token)).status).toBe(200);
      const { text } = await callHttps({ url: `${ours.url}/metrics`, caPem: plane().pki.ca.certificatePem, ...token });
      expect(text).toMatch(/^apiserver_delegated_authn_request_total\{code="201"\} 1$/m);
      expect(text).toMatch(/^apiserver_delegated_authz_request_total\{code="201"\} 1$/m);
      expect(text).toMatch(/^authentication_token_cache_request_total\{status="hit"\} 5$/m);
      await ours.stop();
    },
    START_MS,
  );
});

async function everybody(plane: ControlPlane): Promise<Readonly<Record<string, Credentials>>> {
  const bearer = (token: string): Credentials => ({ headers: { authorization: `Bearer ${token}` } });
  const now = Date.now();
  const validity = { notBefore: now - HOUR_MS, notAfter: now + HOUR_MS };
  const strangers = issueCertificate({ commonName: "stranger-ca", isCa: true, ...validity });
  const client = (name: string, groups: readonly string[] = []): KeyCertificate =>
    plane.pki.clientCertificate(name, groups);
  const { frontProxy } = plane.pki;
  const revoked = await plane.tokenFor("default", "gone");
  const watcher = await plane.tokenFor("default", "watcher");
  const nobody = await plane.tokenFor("default", "nobody");
  await plane.request("DELETE", "/api/v1/namespaces/default/serviceaccounts/gone");
  const other = await plane.request("POST", "/api/v1/namespaces/default/serviceaccounts/watcher/token", {
    spec: { audiences: ["elsewhere"], expirationSeconds: 3600 },
  });
  const expired = { ...validity, notBefore: now - 2 * HOUR_MS, notAfter: now - HOUR_MS };
  return {
    anonymous: {},
    "token without rights": bearer(nobody),
    "token with system:monitoring": bearer(watcher),
    "token for another audience": bearer((JSON.parse(other.text) as { status: { token: string } }).status.token),
    "revoked token": bearer(revoked),
    "nonsense token": bearer("nonsense"),
    "no token after Bearer": { headers: { authorization: "Bearer " } },
    "basic login": { headers: { authorization: "Basic dTpw" } },
    "master's certificate": { client: client("root", ["system:masters"]) },
    "certificate without rights": { client: client("anybody") },
    "certificate with system:monitoring": { client: client("watcher") },
    "certificate and nonsense token": { client: client("watcher"), ...bearer("nonsense") },
    "certificate of an unknown CA": {
      client: issueCertificate({ commonName: "root", usages: ["client"], issuer: strangers, ...validity }),
    },
    "expired certificate": {
      client: issueCertificate({ commonName: "root", usages: ["client"], issuer: plane.pki.ca, ...expired }),
    },
    "server's certificate": {
      client: issueCertificate({ commonName: "root", usages: ["server"], issuer: plane.pki.ca, ...validity }),
    },
    "certificate of an unknown CA and good token": {
      client: issueCertificate({ commonName: "root", usages: ["client"], issuer: strangers, ...validity }),
      ...bearer(watcher),
    },
    "front proxy for a master": {
      client: frontProxy,
      headers: { "x-remote-user": "root", "x-remote-group": "system:masters" },
    },
    "front proxy for a watcher": {
      client: frontProxy,
      headers: { "x-remote-user": "watcher", "x-remote-extra-a": "b" },
    },
    "front proxy for a member of two groups": {
      client: frontProxy,
      headers: { "x-remote-user": "root", "x-remote-group": ["dev", "system:masters"] },
    },
    "front proxy for a member of a group with a comma in its name": {
      client: frontProxy,
      headers: { "x-remote-user": "anybody", "x-remote-group": "dev, system:masters" },
    },
    "front proxy for nobody": { client: frontProxy },
    "headers of a front proxy without its certificate": {
      headers: { "x-remote-user": "root", "x-remote-group": "system:masters" },
    },
    "headers of a front proxy with another certificate": {
      client: client("anybody"),
      headers: { "x-remote-user": "root", "x-remote-group": "system:masters" },
    },
  };
}
