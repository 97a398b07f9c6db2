import { expect, it } from "vitest";
import { startTestServer } from "#apiserver/testing.ts";
import { serverPartsWarning } from "./server-parts-warning.ts";

const SETS = "/apis/apps/v1/namespaces/default/replicasets";
const WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

function replicaSet(name: string): object {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  return { metadata: { name }, spec: { selector: { matchLabels: labels }, template } };
}

it("warns that webhooks have no effect, and does not warn about kinds with a controller", async () => {
  const client = startTestServer({ admission: () => [serverPartsWarning] }).bytes;
  const { headers } = await client.post(WEBHOOKS, { metadata: { name: "a" } });
  expect(String(headers.warning)).toContain(
    "validatingwebhookconfigurations: it is stored, but has no effect, because this cluster does not include admission by webhooks yet",
  );
  expect((await client.delete(`${WEBHOOKS}/a`)).headers.warning).toBeUndefined();
  expect((await client.post(SETS, replicaSet("a"))).headers.warning).toBeUndefined();
  expect((await client.delete(`${SETS}/a`)).headers.warning).toBeUndefined();
});
