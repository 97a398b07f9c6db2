import { expect, it } from "vitest";
import { startTestServer } from "#apiserver/testing.ts";
import { serverPartsWarning } from "./server-parts-warning.ts";

const SETS = "/apis/apps/v1/namespaces/default/replicasets";
const ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";

function replicaSet(name: string): object {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  return { metadata: { name }, spec: { selector: { matchLabels: labels }, template } };
}

it("says that roles decide nothing, and nothing of a kind that a controller acts on", async () => {
  const client = startTestServer({ admission: () => [serverPartsWarning] }).bytes;
  const { headers } = await client.post(ROLES, { metadata: { name: "a" }, rules: [] });
  expect(String(headers.warning)).toContain(
    "roles: it is stored, but nothing will act on it because authorization by roles is not part of this cluster yet",
  );
  expect((await client.delete(`${ROLES}/a`)).headers.warning).toBeUndefined();
  expect((await client.post(SETS, replicaSet("a"))).headers.warning).toBeUndefined();
  expect((await client.delete(`${SETS}/a`)).headers.warning).toBeUndefined();
});
