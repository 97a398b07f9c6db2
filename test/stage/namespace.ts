// Opens the namespace of a play and waits until it has the objects that controllers create in every namespace.

import { ConfigMaps, Namespaces, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { Backend } from "./play.ts";
import { readSteps } from "./steps.ts";

/** The default service account comes from its controller if that runs on the stage, otherwise from this function. */
export async function openNamespace(
  name: string,
  { run, until, runs }: Pick<Backend, "run" | "until" | "runs">,
): Promise<void> {
  const object = { metadata: { name } };
  await run((client, signal) => client.resource(Namespaces).create({ object }, signal));
  if (runs("serviceaccount-controller")) {
    await until("the default account", () => readSteps(run, ServiceAccounts, name).find("default"));
  } else {
    const account = { metadata: { name: "default" } };
    await run((client, signal) =>
      client.resource(ServiceAccounts).create({ namespace: name, object: account }, signal),
    );
  }
  if (runs("root-ca-certificate-publisher-controller")) {
    await until("the root CA", () => readSteps(run, ConfigMaps, name).find("kube-root-ca.crt"));
  }
}
