// A namespace of a real control plane as a stage for scenarios.

import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import type { Stage, StageWrite } from "#test/scenarios/stage.ts";
import type { ControlPlane } from "./control-plane.ts";
import { eventually } from "./suite.ts";

let opened = 0;

/** Everything under a fresh namespace; the controllers under test must be running already. */
export async function realStage(plane: ControlPlane): Promise<Stage> {
  const namespace = `stage-${++opened}`;
  const { certificatePem: cert, keyPem: key } = plane.admin;
  const transport = await createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
  const client = createClient({ transport, clock: systemClock, userAgent: "scenario" });
  const signal = new AbortController().signal;
  await plane.request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await plane.request("POST", account, { metadata: { name: "default" } });
  return {
    namespace,
    client,
    now: () => systemClock.now(),
    do: (call) => call(client, signal),
    until: (probe) => eventually(() => probe(client, signal)),
    pass: (ms) => systemClock.sleep(ms, signal),
    writes: async () => auditedWrites(plane, namespace),
  };
}

const methods: Readonly<Record<string, string>> = { create: "POST", update: "PUT", patch: "PATCH", delete: "DELETE" };

/** Writes of controllers: service accounts of kube-system. */
function auditedWrites(plane: ControlPlane, namespace: string): readonly StageWrite[] {
  return plane.audit.since().flatMap((event): StageWrite[] => {
    const { objectRef, verb, user, responseStatus, requestObject } = event;
    if (objectRef?.namespace !== namespace || objectRef.resource === "events") return [];
    if (event.stage !== "ResponseComplete" || !user.username.startsWith("system:serviceaccount:kube-system:"))
      return [];
    const method = methods[verb];
    if (method === undefined) return [];
    const { resource = "", subresource, name = "" } = objectRef;
    return [
      {
        who: user.username.split(":").at(-1) ?? "",
        method,
        resource: subresource ? `${resource}/${subresource}` : resource,
        name,
        code: responseStatus?.code ?? 0,
        body: requestObject,
      },
    ];
  });
}
