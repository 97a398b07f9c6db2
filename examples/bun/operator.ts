// An operator: for every App it keeps a Deployment, and it reports the ready pods in the App's status.

import {
  type Applied,
  Deployments,
  type ObjectOf,
  resourceHandle,
  type Stored,
  type TestingClient,
} from "steersman/testing";

export interface App {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name: string; readonly uid: string; readonly namespace: string };
  readonly spec: { readonly image: string; readonly replicas: number };
  readonly status?: { readonly ready: number };
}

export const Apps = resourceHandle<Stored<App>>({
  group: "example.com",
  version: "v1",
  resource: "apps",
  kind: "App",
  scope: "Namespaced",
});

/** Runs until the signal aborts. */
export async function runOperator(client: TestingClient, signal: AbortSignal): Promise<void> {
  await Promise.all([
    follow(client.of(Apps, "").watch({}, signal), signal, (app) => keepDeployment(client, app)),
    follow(client.of(Deployments, "").watch({ labelSelector: "app.example.com/name" }, signal), signal, (deployment) =>
      reportReady(client, deployment),
    ),
  ]);
}

async function follow<T>(
  events: AsyncIterable<{ readonly type: string; readonly object: T }>,
  signal: AbortSignal,
  sync: (object: T) => Promise<void>,
): Promise<void> {
  try {
    for await (const { type, object } of events) if (type !== "DELETED") await sync(object);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function keepDeployment(client: TestingClient, app: Stored<App>): Promise<void> {
  const { name, namespace, uid } = app.metadata;
  const labels = { "app.example.com/name": name };
  const deployment: Applied<ObjectOf<typeof Deployments>> = {
    // The garbage collector deletes the Deployment with its App.
    metadata: { labels, ownerReferences: [{ apiVersion: "example.com/v1", kind: "App", name, uid, controller: true }] },
    spec: {
      replicas: app.spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "app", image: app.spec.image }] } },
    },
  };
  await client.of(Deployments, namespace).apply(name, deployment, { fieldManager: "app-operator", force: true });
}

async function reportReady(client: TestingClient, deployment: ObjectOf<typeof Deployments>): Promise<void> {
  const { name, namespace } = deployment.metadata;
  const status = { ready: deployment.status?.readyReplicas ?? 0 };
  const apps = client.of(Apps, namespace);
  const app = await apps.find(name);
  if (app !== undefined && app.status?.ready !== status.ready)
    await apps.patch(name, { status }, { subresource: "status" });
}
