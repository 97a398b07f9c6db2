// The start of the trust bundle publisher: with a CA, and with an API server that serves bundles in some version.

import { describe, expect, it } from "vitest";
import { whenAborted } from "#base/abort.ts";
import { isAborted } from "#base/errors.ts";
import { systemKeys } from "#platform/system/system-keys.ts";
import { signingPair } from "#test/stage/signing-pair.ts";
import { WireStage } from "#test/stage/wire-stage.ts";

const CONTROLLER = "kube-apiserver-serving-clustertrustbundle-publisher-controller";
const GATES = { ClusterTrustBundle: true };

/** The paths of the bundles that the manager created. */
async function created(versions: readonly string[], rootCa: string): Promise<readonly string[]> {
  const paths: string[] = [];
  await using stage = await new WireStage({
    controllers: [CONTROLLER],
    serverGates: GATES,
    runtimeConfig: Object.fromEntries(versions.map((version) => [version, "true"])),
    keys: systemKeys,
    audit: {
      record: ({ request, response }) => {
        const isBundle = request.method === "POST" && request.path.endsWith("/clustertrustbundles");
        if (isBundle && response.status === 201) paths.push(request.path);
      },
    },
  }).opened();
  stage.startManager({ gates: GATES, rootCa });
  await stage.pass(5000);
  return paths;
}

describe("kube-apiserver-serving-clustertrustbundle-publisher/start the publisher", () => {
  const { ca } = signingPair(Date.UTC(2026, 0, 1));
  const [beta, alpha] = ["certificates.k8s.io/v1beta1", "certificates.k8s.io/v1alpha1"];

  it.each([
    { what: "v1beta1", versions: [beta], published: [`/apis/${beta}/clustertrustbundles`] },
    { what: "v1alpha1", versions: [alpha], published: [`/apis/${alpha}/clustertrustbundles`] },
    { what: "both versions", versions: [beta, alpha], published: [`/apis/${beta}/clustertrustbundles`] },
    { what: "no version", versions: [], published: [] },
  ])("publishes in the newest version of a server with $what", async ({ versions, published }) => {
    expect(await created(versions, ca)).toEqual(published);
  });

  it("kube-apiserver-serving-clustertrustbundle-publisher/traps is refused a bundle with the same certificate twice", async () => {
    expect(await created([beta], ca + ca)).toEqual([]);
  });

  it("kube-apiserver-serving-clustertrustbundle-publisher/tests publishes nothing without a CA", async () => {
    expect(await created([beta], "")).toEqual([]);
  });

  it("stops at once while the server does not answer whether it serves bundles", async () => {
    await using stage = await new WireStage({
      controllers: [CONTROLLER],
      serverGates: GATES,
      keys: systemKeys,
    }).opened();
    const asked: string[] = [];
    const manager = stage.world.startManager({
      controllers: [CONTROLLER],
      gates: GATES,
      rootCa: ca,
      network: (transport) => ({
        async send(request, signal) {
          if (request.path !== `/apis/${beta}`) return await transport.send(request, signal);
          asked.push(request.path);
          await whenAborted(signal);
          throw signal.reason;
        },
      }),
    });
    await stage.pass(5000);
    expect(asked).toHaveLength(1);
    const ended = manager.stop().catch((error: unknown) => error);
    await stage.pass(1000);
    expect(isAborted(await ended)).toBe(true);
  });
});
