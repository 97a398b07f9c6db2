// A namespace of a real control plane, with the steps of scenarios.

import { Namespaces } from "#api/generated/resources/core-v1.ts";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { identityOf, isDecision, isFinished, writeOf } from "#test/stage/requests.ts";
import type { Scene, StageWrite } from "#test/stage/stage.ts";
import { scene } from "#test/stage/steps.ts";
import type { ControlPlane } from "./control-plane.ts";
import { eventually } from "./suite.ts";

interface RealScene extends Scene {
  readonly client: Client;
  /** The controllers' writes in the namespace, without Events. */
  writes(): readonly StageWrite[];
}

let opened = 0;

/** The controllers under test must already run. */
export async function realScene(plane: ControlPlane, patienceMs?: number): Promise<RealScene> {
  const namespace = `scene-${++opened}`;
  const { certificatePem: cert, keyPem: key } = plane.admin;
  const transport = await createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
  const client = createClient({ transport, clock: systemClock, userAgent: "scenario" });
  const { signal } = new AbortController();
  const steps = scene({
    namespace,
    run: (call) => call(client, signal),
    now: () => systemClock.now(),
    pass: (ms) => systemClock.sleep(ms, signal),
    until: (_, probe) => eventually(async () => (await probe()) || undefined, patienceMs),
  });
  await steps.of(Namespaces).create({ metadata: { name: namespace } });
  // A controller may have created it already.
  await plane.request("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "default" } });
  return {
    ...steps,
    client,
    writes: () =>
      plane.audit
        .since()
        .filter((event) => event.objectRef?.namespace === namespace && isFinished(event) && isDecision(event))
        .filter((event) => identityOf(event) !== undefined)
        .map(writeOf),
  };
}
