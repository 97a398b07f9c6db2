import { expect, it } from "vitest";
import { startTestServer } from "#apiserver/testing.ts";
import { unwrittenWarning } from "./unwritten-warning.ts";

const SETS = "/apis/apps/v1/namespaces/default/replicasets";
const ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";

function start(...unwritten: string[]) {
  return startTestServer({ admission: () => [unwrittenWarning(unwritten)] }).bytes;
}

function replicaSet(name: string): object {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  return { metadata: { name }, spec: { selector: { matchLabels: labels }, template } };
}

it("says that a namespace stays", async () => {
  const client = start("namespace-controller");
  await client.post("/api/v1/namespaces", { metadata: { name: "a" } });
  const { headers } = await client.delete("/api/v1/namespaces/a");
  expect(String(headers.warning)).toContain("namespaces: it stays Terminating with all that is in it because ");
});

it("says that roles decide nothing, and nothing where all is there", async () => {
  const { headers } = await start().post(ROLES, { metadata: { name: "a" }, rules: [] });
  expect(String(headers.warning)).toContain("authorization by roles is not part of this cluster yet");
  const client = start();
  expect((await client.post(SETS, replicaSet("a"))).headers.warning).toBeUndefined();
  expect((await client.delete(`${SETS}/a`)).headers.warning).toBeUndefined();
});
