// Objects around service accounts, and the steps that their scenarios share.

import type { Namespace, Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { Stage } from "./stage.ts";

export const accountsGvr = { group: "", version: "v1", resource: "serviceaccounts" };
export const configMapsGvr = { group: "", version: "v1", resource: "configmaps" };
export const secretsGvr = { group: "", version: "v1", resource: "secrets" };
export const namespacesGvr = { group: "", version: "v1", resource: "namespaces" };
export const BUNDLE = "kube-root-ca.crt";

type Gvr = typeof accountsGvr;

export function untilFound<T extends KubeObject>(
  stage: Stage,
  gvr: Gvr,
  name: string,
  test: (object: T) => boolean = () => true,
  namespace: string = stage.namespace,
): Promise<T> {
  return stage.until(async (client, signal) => {
    const { items } = await client.resource<T>(gvr).list({ namespace }, signal);
    return items.find((item) => item.metadata?.name === name && test(item));
  });
}

export function untilGone(stage: Stage, gvr: Gvr, name: string): Promise<true> {
  return stage.until(async (client, signal) => {
    const { items } = await client.resource(gvr).list({ namespace: stage.namespace }, signal);
    return items.some((item) => item.metadata?.name === name) ? undefined : true;
  });
}

export const remove = (stage: Stage, gvr: Gvr, name: string): Promise<unknown> =>
  stage.do((client, signal) => client.resource(gvr).delete({ namespace: stage.namespace, name }, signal));

export const patch = (stage: Stage, gvr: Gvr, name: string, change: object): Promise<unknown> =>
  stage.do((client, signal) =>
    client.resource(gvr).patch({ namespace: stage.namespace, name, type: "merge", patch: change }, signal),
  );

export const namesIn = (stage: Stage, gvr: Gvr): Promise<string[]> =>
  stage.do(async (client, signal) => {
    const { items } = await client.resource(gvr).list({ namespace: stage.namespace }, signal);
    return items.map(({ metadata }) => metadata?.name ?? "");
  });

export const createNamespace = (stage: Stage, name: string): Promise<unknown> =>
  stage.do((client, signal) => {
    const object: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    return client.resource<Namespace>(namespacesGvr).create({ object }, signal);
  });

/** Marks the stage's namespace for deletion; without a namespace controller it stays so. */
export async function terminateNamespace(stage: Stage): Promise<void> {
  await stage.do((client, signal) => client.resource(namespacesGvr).delete({ name: stage.namespace }, signal));
  await stage.until(async (client, signal) => {
    const { status } = await client.resource<Namespace>(namespacesGvr).get({ name: stage.namespace }, signal);
    return status?.phase === "Terminating" ? true : undefined;
  });
}

export const account = (name: string, more: Partial<ServiceAccount> = {}): ServiceAccount => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name },
  ...more,
});

export function tokenSecret(name: string, accountName: string, more: Partial<Secret> = {}, accountUid = ""): Secret {
  const uid = accountUid === "" ? {} : { "kubernetes.io/service-account.uid": accountUid };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, annotations: { "kubernetes.io/service-account.name": accountName, ...uid } },
    type: "kubernetes.io/service-account-token",
    ...more,
  };
}

export const untilFilled = (stage: Stage, name: string): Promise<Secret> =>
  untilFound<Secret>(stage, secretsGvr, name, ({ data }) => data?.token !== undefined);
