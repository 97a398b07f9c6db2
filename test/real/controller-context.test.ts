// What a controller is given to work with, on a real API server, whose audit log must tell the same story.

import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client.ts";
import { systemClock } from "#platform/system-clock.ts";
import { playControllerContext } from "#test/scenarios/controller-context.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { describeReal, eventually } from "./suite.ts";

const LIMIT_MS = 120_000;

describeReal("the controllers' context on a real API server", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  }, LIMIT_MS);
  afterAll(() => plane?.stop());

  it(
    "machinery/1.2.7, machinery/1.2.8, machinery/1.3.8 gives controllers their informers, mappings and clients, and takes them back",
    async () => {
      const { certificatePem: cert, keyPem: key } = plane.admin;
      const transport = await createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
      await playControllerContext({
        clock: systemClock,
        transport,
        admin: createClient({ transport, clock: systemClock, userAgent: "scenario" }),
        do: (call) => call(),
        until: (probe) => eventually(probe),
      });
      transport.close();
      const ours = plane.audit.since().filter(({ userAgent }) => userAgent?.startsWith("kube-controller-manager/"));
      const asked = ours.map(({ userAgent, verb, requestURI }) => {
        return `${userAgent?.split("/").at(-1)} ${verb} ${requestURI.replace(/\?.*/, "")}`;
      });
      expect([...new Set(asked)].sort()).toEqual([
        "controller-discovery get /api",
        "controller-discovery get /apis",
        "metadata-informers watch /api/v1/configmaps",
        "metadata-informers watch /apis/context.example/v1/widgets",
        "probe get /api",
        "probe get /apis",
        "shared-informers watch /api/v1/configmaps",
      ]);
    },
    LIMIT_MS,
  );
});
