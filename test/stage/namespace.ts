// Opens the namespace of a play: with what every namespace has soon after its creation, so that the play begins when
// the controllers have done that.

import { ConfigMaps, Namespaces, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { Backend } from "./play.ts";
import { readSteps } from "./steps.ts";

/** Made by a controller where that one runs, by the stage where it does not. */
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
