// Pod security: the checks compared with upstream's packages, and the plugin over HTTP.

import { describe, expect, it } from "vitest";
import { errorText } from "#api/field-error.ts";
import type { PodSpec } from "#api/generated/types/core-v1.ts";
import vectors from "#test/vectors/pod-security.json" with { type: "json" };
import type { AuditEvent } from "../../filters/audit.ts";
import { startTestServer, type TestClient } from "../../testing.ts";
import { choosePlugins } from "../default-plugins.ts";
import { detailsText, reasonsText, violationsOf } from "./checks.ts";
import { type Level, levelText, PRIVILEGED, policyOf, type Version } from "./levels.ts";
import type { PodSecurityConfiguration } from "./pod-security.ts";

interface PodVector {
  readonly level: Level;
  readonly version: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  readonly detail?: string;
  readonly reason?: string;
}

interface LabelVector {
  readonly labels: Readonly<Record<string, string>>;
  readonly enforce: string;
  readonly audit: string;
  readonly warn: string;
  readonly errors?: readonly string[];
}

const { pods, labels } = vectors as unknown as { pods: PodVector[]; labels: LabelVector[] };
const versionOf = (text: string): Version => (text === "latest" ? text : Number(text.slice("v1.".length)));

describe("machinery/7.3.r10 the checks of pod security", () => {
  it("agree with upstream on random pods", () => {
    for (const { level, version, annotations = {}, spec, detail = "", reason = "" } of pods) {
      const found = violationsOf({ level, version: versionOf(version) }, { metadata: { annotations }, spec });
      expect(detailsText(found)).toBe(detail);
      expect(reasonsText(found)).toBe(reason);
    }
  });

  it("are selected by the labels of a namespace as upstream", () => {
    for (const { labels: given, errors = [], ...levels } of labels) {
      const parsed = policyOf(given, PRIVILEGED);
      const { enforce, audit, warn } = parsed.policy;
      expect({ enforce: levelText(enforce), audit: levelText(audit), warn: levelText(warn) }).toEqual(levels);
      expect(parsed.errors.map(errorText)).toEqual(errors);
    }
  });
});

const PODS = "/api/v1/namespaces/team/pods";
const NAMESPACE = "/api/v1/namespaces/team";
const label = (mode: string): string => `pod-security.kubernetes.io/${mode}`;
const pod = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { containers: [{ name: "a", image: "example/a:1" }], ...spec },
});

async function start(
  given: Readonly<Record<string, string>>,
  configuration?: PodSecurityConfiguration,
): Promise<{ client: TestClient; seen: AuditEvent[] }> {
  const seen: AuditEvent[] = [];
  const audit = { record: (event: AuditEvent) => seen.push(event) };
  const { bytes } = startTestServer({
    audit,
    admission: choosePlugins({
      disabled: ["ServiceAccount", "RuntimeClass"],
      ...(configuration && { podSecurity: configuration }),
    }),
  });
  await bytes.post("/api/v1/namespaces", { metadata: { name: "team", labels: given } });
  return { client: bytes, seen };
}

const warningOf = (headers: Readonly<Record<string, unknown>>): string => String(headers.warning ?? "");

describe("machinery/7.3.r10 a namespace with labels of pod security", () => {
  it("refuses pods that violate its enforced level, and names the level", async () => {
    const { client, seen } = await start({ [label("enforce")]: "baseline" });
    expect((await client.post(PODS, pod("good"))).status).toBe(201);
    const { status, body } = await client.post(PODS, pod("bad", { hostNetwork: true }));
    expect([status, body.message]).toEqual([
      403,
      'pods "bad" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    ]);
    expect(seen.at(-1)?.annotations).toEqual({ [label("enforce-policy")]: "baseline:latest" });
  });

  it("checks running pods only when their images change", async () => {
    const { client } = await start({});
    await client.post(PODS, pod("old", { hostNetwork: true }));
    const changed = await client.patch(NAMESPACE, "merge", {
      metadata: { labels: { [label("enforce")]: "baseline" } },
    });
    expect(warningOf(changed.headers)).toContain("old: host namespaces");
    const relabel = await client.patch(`${PODS}/old`, "merge", { metadata: { labels: { a: "b" } } });
    expect(relabel.status).toBe(200);
    const image = await client.patch(`${PODS}/old`, "strategic", {
      spec: { containers: [{ name: "a", image: "example/a:2" }] },
    });
    expect(image.status).toBe(403);
  });

  it("warns about and audits templates, and does not refuse them", async () => {
    const { client, seen } = await start({ [label("enforce")]: "baseline", [label("audit")]: "baseline" });
    const answer = await client.post("/apis/apps/v1/namespaces/team/deployments", {
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { ...pod("x", { hostPID: true }), metadata: { labels: { a: "b" } } },
      },
    });
    const text = 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)';
    expect([answer.status, warningOf(answer.headers)]).toEqual([201, `299 - ${JSON.stringify(text)}`]);
    expect(seen.at(-1)?.annotations).toEqual({ [label("audit-violations")]: text });
  });

  it("skips exempt namespaces, users and runtime classes, and reports it", async () => {
    const exemptions = { runtimeClasses: ["trusted"] };
    const { client, seen } = await start({ [label("enforce")]: "restricted" }, { defaults: PRIVILEGED, exemptions });
    const spec = { hostIPC: true, runtimeClassName: "trusted" };
    expect((await client.post(PODS, pod("a", spec))).status).toBe(201);
    expect(seen.at(-1)?.annotations).toEqual({ [label("exempt")]: "runtimeClass" });
    for (const [key, value] of [
      ["namespaces", "team"],
      ["usernames", "admin"],
    ] as const) {
      const exempt = await start({}, { defaults: PRIVILEGED, exemptions: { [key]: [value] } });
      const strict = { metadata: { labels: { [label("enforce")]: "restricted" } } };
      const { headers } = await exempt.client.patch(NAMESPACE, "merge", strict);
      expect(warningOf(headers).includes("is exempt from Pod Security")).toBe(key === "namespaces");
      expect((await exempt.client.post(PODS, pod("a", { hostIPC: true }))).status).toBe(201);
      expect(exempt.seen.at(-1)?.annotations).toEqual({
        [label("exempt")]: key === "namespaces" ? "namespace" : "user",
      });
    }
  });
});
