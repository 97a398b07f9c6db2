// What the three controllers around service accounts must do, as scenarios for both stages:
// serviceaccount, root-ca-certificate-publisher and serviceaccount-token.

import { expect } from "vitest";
import type { ConfigMap, Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { Scenario } from "./replicaset.ts";
import { createObject, type Stage } from "./stage.ts";

const accountsGvr = { group: "", version: "v1", resource: "serviceaccounts" };
const configMapsGvr = { group: "", version: "v1", resource: "configmaps" };
const secretsGvr = { group: "", version: "v1", resource: "secrets" };
const namespacesGvr = { group: "", version: "v1", resource: "namespaces" };
const BUNDLE = "kube-root-ca.crt";

type Gvr = typeof accountsGvr;

function untilFound<T extends KubeObject>(
  stage: Stage,
  gvr: Gvr,
  name: string,
  test: (object: T) => boolean = () => true,
  namespace = stage.namespace,
): Promise<T> {
  return stage.until(async (client, signal) => {
    const { items } = await client.resource<T>(gvr).list({ namespace }, signal);
    return items.find((item) => item.metadata?.name === name && test(item));
  });
}

function untilGone(stage: Stage, gvr: Gvr, name: string): Promise<true> {
  return stage.until(async (client, signal) => {
    const { items } = await client.resource(gvr).list({ namespace: stage.namespace }, signal);
    return items.some((item) => item.metadata?.name === name) ? undefined : true;
  });
}

const remove = (stage: Stage, gvr: Gvr, name: string): Promise<unknown> =>
  stage.do((client, signal) => client.resource(gvr).delete({ namespace: stage.namespace, name }, signal));

const patch = (stage: Stage, gvr: Gvr, name: string, change: object): Promise<unknown> =>
  stage.do((client, signal) =>
    client.resource(gvr).patch({ namespace: stage.namespace, name, type: "merge", patch: change }, signal),
  );

const account = (name: string): ServiceAccount => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name } });

function tokenSecret(name: string, accountName: string): Secret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, annotations: { "kubernetes.io/service-account.name": accountName } },
    type: "kubernetes.io/service-account-token",
  };
}

export const accountScenarios: readonly Scenario[] = [
  {
    name: "serviceaccount/2 gives a new namespace its default account, with nothing but a name",
    async play(stage) {
      const namespace = `new-${stage.namespace}`;
      await stage.do((client, signal) =>
        client
          .resource(namespacesGvr)
          .create({ object: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } }, signal),
      );
      const found = await untilFound<ServiceAccount>(stage, accountsGvr, "default", undefined, namespace);
      expect(Object.keys(found).filter((key) => key !== "metadata")).toEqual([]);
      expect(found.metadata?.labels).toBeUndefined();
    },
  },
  {
    name: "serviceaccount/4 makes the default account again when it is deleted, and no other",
    async play(stage) {
      const before = await untilFound<ServiceAccount>(stage, accountsGvr, "default");
      await createObject(stage, accountsGvr, account("other"));
      await remove(stage, accountsGvr, "other");
      await remove(stage, accountsGvr, "default");
      await untilFound<ServiceAccount>(
        stage,
        accountsGvr,
        "default",
        ({ metadata }) => metadata?.uid !== before.metadata?.uid,
      );
      await untilGone(stage, accountsGvr, "other");
    },
  },
  {
    name: "serviceaccount/5 never changes an account that exists",
    async play(stage) {
      await untilFound(stage, accountsGvr, "default");
      await patch(stage, accountsGvr, "default", {
        metadata: { annotations: { mine: "1" } },
        automountServiceAccountToken: false,
      });
      await stage.pass(300);
      const kept = await untilFound<ServiceAccount>(stage, accountsGvr, "default");
      expect([kept.metadata?.annotations, kept.automountServiceAccountToken]).toEqual([{ mine: "1" }, false]);
    },
  },
];

export const publisherScenarios: readonly Scenario[] = [
  {
    name: "root-ca-certificate-publisher/1 publishes the bundle with its description",
    async play(stage) {
      const found = await untilFound<ConfigMap>(stage, configMapsGvr, BUNDLE);
      expect(Object.keys(found.data ?? {})).toEqual(["ca.crt"]);
      expect(found.data?.["ca.crt"]).toContain("-----BEGIN CERTIFICATE-----");
      expect(found.metadata?.annotations?.["kubernetes.io/description"]).toMatch(
        /^Contains a CA bundle that can be used to verify the kube-apiserver/,
      );
    },
  },
  {
    name: "root-ca-certificate-publisher/3 restores the data, keeps what is the user's own",
    async play(stage) {
      const { data } = await untilFound<ConfigMap>(stage, configMapsGvr, BUNDLE);
      await patch(stage, configMapsGvr, BUNDLE, {
        metadata: { labels: { mine: "1" } },
        data: { "ca.crt": "junk", more: "x" },
      });
      const restored = await untilFound<ConfigMap>(
        stage,
        configMapsGvr,
        BUNDLE,
        (found) => found.data?.["ca.crt"] !== "junk",
      );
      expect([restored.data, restored.metadata?.labels]).toEqual([data, { mine: "1" }]);
    },
  },
  {
    name: "root-ca-certificate-publisher/1 publishes it again when it is deleted",
    async play(stage) {
      const { metadata } = await untilFound<ConfigMap>(stage, configMapsGvr, BUNDLE);
      await remove(stage, configMapsGvr, BUNDLE);
      await untilFound<ConfigMap>(stage, configMapsGvr, BUNDLE, (found) => found.metadata?.uid !== metadata?.uid);
    },
  },
];

export const tokenScenarios: readonly Scenario[] = [
  {
    name: "serviceaccount-token/5, serviceaccount-token/6, serviceaccount-token/7 fills a token secret",
    async play(stage) {
      const { metadata } = await createObject(stage, accountsGvr, account("bot"));
      await createObject(stage, secretsGvr, tokenSecret("bot-token", "bot"));
      const filled = await untilFound<Secret>(stage, secretsGvr, "bot-token", ({ data }) => data?.token !== undefined);
      expect(filled.metadata?.annotations).toMatchObject({
        "kubernetes.io/service-account.name": "bot",
        "kubernetes.io/service-account.uid": metadata?.uid ?? "",
      });
      expect(atob(filled.data?.namespace ?? "")).toBe(stage.namespace);
      expect(atob(filled.data?.["ca.crt"] ?? "")).toContain("BEGIN CERTIFICATE");
      const [header = "", claims = ""] = atob(filled.data?.token ?? "").split(".");
      expect(Object.keys(decoded(header))).toEqual(["alg", "kid"]);
      expect(decoded(claims)).toEqual({
        iss: "kubernetes/serviceaccount",
        "kubernetes.io/serviceaccount/namespace": stage.namespace,
        "kubernetes.io/serviceaccount/secret.name": "bot-token",
        "kubernetes.io/serviceaccount/service-account.name": "bot",
        "kubernetes.io/serviceaccount/service-account.uid": metadata?.uid ?? "",
        sub: `system:serviceaccount:${stage.namespace}:bot`,
      });
    },
  },
  {
    name: "serviceaccount-token/5 restores what is missing, but never replaces a token that is there",
    async play(stage) {
      await createObject(stage, accountsGvr, account("bot"));
      await createObject(stage, secretsGvr, tokenSecret("t", "bot"));
      const filled = await untilFound<Secret>(stage, secretsGvr, "t", ({ data }) => data?.token !== undefined);
      await patch(stage, secretsGvr, "t", { data: { token: btoa("mine"), "ca.crt": btoa("junk"), namespace: null } });
      const restored = await untilFound<Secret>(
        stage,
        secretsGvr,
        "t",
        ({ data }) => data?.["ca.crt"] !== btoa("junk") && data?.namespace !== undefined,
      );
      expect(restored.data).toEqual({ ...filled.data, token: btoa("mine") });
    },
  },
  {
    name: "serviceaccount-token/1 deletes the token secrets of an account that is deleted",
    async play(stage) {
      await createObject(stage, accountsGvr, account("bot"));
      await createObject(stage, secretsGvr, tokenSecret("t", "bot"));
      await untilFound<Secret>(stage, secretsGvr, "t", ({ data }) => data?.token !== undefined);
      await remove(stage, accountsGvr, "bot");
      await untilGone(stage, secretsGvr, "t");
    },
  },
  {
    name: "serviceaccount-token/3 drops the account's reference to a secret that is gone",
    async play(stage) {
      await createObject(stage, accountsGvr, account("bot"));
      await createObject(stage, secretsGvr, tokenSecret("t", "bot"));
      await untilFound<Secret>(stage, secretsGvr, "t", ({ data }) => data?.token !== undefined);
      await patch(stage, accountsGvr, "bot", { secrets: [{ name: "t" }, { name: "kept" }] });
      await stage.pass(100);
      await remove(stage, secretsGvr, "t");
      const kept = await untilFound<ServiceAccount>(stage, accountsGvr, "bot", ({ secrets }) => secrets?.length === 1);
      expect(kept.secrets).toEqual([{ name: "kept" }]);
    },
  },
  {
    name: "serviceaccount-token/8 makes no token secrets on its own, and leaves other secrets alone",
    async play(stage) {
      await createObject(stage, accountsGvr, account("bot"));
      await createObject(stage, secretsGvr, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "plain" },
        type: "Opaque",
      } as Secret);
      await stage.pass(300);
      const { items } = await stage.do((client, signal) =>
        client.resource<Secret>(secretsGvr).list({ namespace: stage.namespace }, signal),
      );
      expect(items.map(({ metadata, data }) => [metadata?.name, data])).toEqual([["plain", undefined]]);
    },
  },
];

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/"))) as Record<string, unknown>;
}
