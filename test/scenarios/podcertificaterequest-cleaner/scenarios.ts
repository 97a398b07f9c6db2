// Pod certificate requests are deleted after a quarter of an hour.

import { encodeBase64 } from "#api/base64.ts";
import { PodCertificateRequests } from "#api/generated/resources/certificates-v1beta1.ts";
import { pemBlocks } from "#api/pem.ts";
import { formatTime } from "#api/time.ts";
import { requestPem } from "#test/stage/certificate-requests.ts";
import { type Scenario, type ScenarioText, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const MINUTE_MS = 60_000;
const LONG = "requests stay for fifteen minutes, and the controller looks at them every five";

async function open(stage: Stage, name = "pcr"): Promise<void> {
  const [block] = pemBlocks(requestPem({}));
  await stage.of(PodCertificateRequests).create({
    metadata: { name },
    spec: {
      signerName: "example.com/signer",
      podName: "web",
      podUID: "pod-uid",
      serviceAccountName: "default",
      serviceAccountUID: "account-uid",
      nodeName: "node-a",
      nodeUID: "node-uid",
      stubPKCS10Request: encodeBase64(block?.bytes ?? new Uint8Array()),
    },
  });
}

async function answer(stage: Stage, type: "Denied" | "Failed"): Promise<void> {
  const lastTransitionTime = formatTime(stage.now());
  const condition = { type, status: "True", reason: "Test", message: "", lastTransitionTime };
  await stage
    .of(PodCertificateRequests)
    .patch("pcr", { status: { conditions: [condition] } }, { subresource: "status" });
}

const isThere = async (stage: Stage, name = "pcr"): Promise<boolean> =>
  (await stage.of(PodCertificateRequests).find(name)) !== undefined;

/** Exact minutes hold only without faults. */
async function expectKept(stage: Stage, minutes: number, name?: string): Promise<void> {
  await stage.calm(async () => {
    await stage.pass(minutes * MINUTE_MS);
    if (!(await isThere(stage, name))) throw new Error(`gone within ${minutes} minutes`);
  });
}

/** Within the controller's next loops. */
async function expectGone(stage: Stage, name?: string): Promise<void> {
  for (let minutes = 0; await isThere(stage, name); minutes += 5) {
    await stage.calm(async () => {
      if (minutes > 5) throw new Error("not gone at the next look");
    });
    if (minutes > 30) throw new Error("not gone within half an hour");
    await stage.pass(5 * MINUTE_MS);
  }
  await stage.calm(() => stage.pass(5 * MINUTE_MS)); // the delay after a manager's death
}

const texts: readonly Omit<ScenarioText, "virtualOnly">[] = [
  {
    name: "podcertificaterequest-cleaner/1 deletes a request after a quarter of an hour, and not before",
    async play(stage) {
      await open(stage);
      await expectKept(stage, 14);
      await expectGone(stage);
    },
  },
  {
    name: "podcertificaterequest-cleaner/1, podcertificaterequest-cleaner/tests deletes a request that was denied as late as any other",
    async play(stage) {
      await open(stage);
      await answer(stage, "Denied");
      await expectKept(stage, 14);
      await expectGone(stage);
    },
  },
  {
    name: "podcertificaterequest-cleaner/1 deletes a request that has failed as late as any other",
    async play(stage) {
      await open(stage);
      await answer(stage, "Failed");
      await expectKept(stage, 14);
      await expectGone(stage);
    },
  },
  {
    name: "podcertificaterequest-cleaner/1 counts the age of each request",
    async play(stage) {
      await open(stage);
      await stage.pass(10 * MINUTE_MS);
      await open(stage, "younger");
      await expectKept(stage, 4);
      await expectGone(stage);
      await expectGone(stage, "younger");
    },
  },
  {
    name: "podcertificaterequest-cleaner/1, podcertificaterequest-cleaner/traps goes on after a request that is young",
    alone: true,
    async play(stage) {
      await open(stage, "old");
      await stage.pass(12 * MINUTE_MS);
      await open(stage, "a-young");
      await stage.restart(); // its cache has them in the order of their names
      await expectGone(stage, "old");
      await stage.calm(async () => {
        if (!(await isThere(stage, "a-young"))) throw new Error("the young one is gone, too");
      });
      await expectGone(stage, "a-young");
    },
  },
  {
    name: "podcertificaterequest-cleaner/1 gives a successor of the same name its own time",
    async play(stage) {
      await open(stage);
      await stage.pass(10 * MINUTE_MS);
      await stage.of(PodCertificateRequests).delete("pcr");
      await open(stage);
      await expectKept(stage, 14);
      await expectGone(stage);
    },
  },
  {
    name: "podcertificaterequest-cleaner/2 deletes a request that is held, and it goes when it is held no more",
    async play(stage) {
      await open(stage);
      const requests = stage.of(PodCertificateRequests);
      await requests.patch("pcr", { metadata: { finalizers: ["example.com/hold"] } });
      for (let looks = 0; (await requests.get("pcr")).metadata.deletionTimestamp === undefined; looks++) {
        if (looks > 8) throw new Error("not deleted");
        await stage.pass(5 * MINUTE_MS);
      }
      await requests.patch("pcr", { metadata: { finalizers: null } });
      await requests.untilGone("pcr");
      await stage.calm(() => stage.pass(5 * MINUTE_MS));
    },
  },
];

export const scenarios: readonly Scenario[] = scenariosOf(
  "podcertificaterequest-cleaner-controller",
  { cast: "auth", profile: "alpha" },
  texts.map((text) => ({ ...text, virtualOnly: LONG })),
);
