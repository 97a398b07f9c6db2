// Certificate requests are deleted some time after they are finished.

import { CertificateSigningRequests } from "#api/generated/resources/certificates-v1.ts";
import { formatTime } from "#api/time.ts";
import { createRequest, decide } from "#test/stage/certificate-requests.ts";
import { type Scenario, type ScenarioText, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const HOUR_MS = 3_600_000;
const HOURLY = "the controller looks at requests once an hour";
/** A signer that does not exist. */
const FOREIGN = { signerName: "example.com/signer" };

async function open(stage: Stage, spec: object = FOREIGN): Promise<string> {
  const name = stage.name("csr");
  await createRequest(stage, name, { commonName: "a" }, spec);
  return name;
}

const isThere = async (stage: Stage, name: string): Promise<boolean> =>
  (await stage.of(CertificateSigningRequests).find(name)) !== undefined;

/** Exact hours hold only without faults: a successor's loop runs at other minutes of the hour. */
async function expectKept(stage: Stage, hours: number, name: string): Promise<void> {
  await stage.calm(async () => {
    await stage.pass(hours * HOUR_MS);
    if (!(await isThere(stage, name))) throw new Error(`gone within ${hours} hours`);
  });
}

/** By the controller's next loop, or the one after it if the manager died. */
async function expectGone(stage: Stage, name: string, hoursMax = 30): Promise<void> {
  let hours = 0;
  while (await isThere(stage, name)) {
    await stage.calm(async () => {
      if (hours > 0) throw new Error(`not gone at the next look`);
    });
    if (++hours > hoursMax) throw new Error(`not gone within ${hoursMax} hours`);
    await stage.pass(HOUR_MS);
  }
  await graceHour(stage);
}

/** The extra hour after the death of a manager. */
const graceHour = (stage: Stage): Promise<void> => stage.calm(() => stage.pass(HOUR_MS));

const texts: readonly Omit<ScenarioText, "virtualOnly">[] = [
  {
    name: "certificatesigningrequest-cleaner/1 deletes a request an hour after its certificate was issued",
    async play(stage) {
      const name = await open(stage, {});
      await decide(stage, name, "Approved");
      await stage.of(CertificateSigningRequests).until(name, ({ status }) => Boolean(status?.certificate));
      await expectKept(stage, 1, name);
      await expectGone(stage, name);
    },
  },
  {
    name: "certificatesigningrequest-cleaner/1 deletes a request an hour after it was denied",
    async play(stage) {
      const name = await open(stage);
      await decide(stage, name, "Denied");
      await expectKept(stage, 1, name);
      await expectGone(stage, name);
    },
  },
  {
    name: "certificatesigningrequest-cleaner/1 deletes a request an hour after its signer refused it",
    async play(stage) {
      const name = await open(stage, { usages: ["server auth"] });
      await decide(stage, name, "Approved");
      const isFailed = (type: string): boolean => type === "Failed";
      await stage
        .of(CertificateSigningRequests)
        .until(name, ({ status }) => status?.conditions?.some(({ type }) => isFailed(type)) ?? false);
      await expectKept(stage, 1, name);
      await expectGone(stage, name);
    },
  },
  {
    name: "certificatesigningrequest-cleaner/1 keeps a request that nobody decides about for a day",
    async play(stage) {
      const name = await open(stage);
      await expectKept(stage, 24, name);
      await expectGone(stage, name);
    },
  },
  {
    name: "certificatesigningrequest-cleaner/1 keeps an approved request that nobody signs for a day",
    async play(stage) {
      const name = await open(stage);
      await stage.pass(2 * HOUR_MS);
      await decide(stage, name, "Approved");
      await expectKept(stage, 24, name);
      await expectGone(stage, name);
    },
  },
  {
    name: "certificatesigningrequest-cleaner/1 deletes a request when its certificate has expired",
    async play(stage) {
      const name = await open(stage, { expirationSeconds: 600 });
      // Approved in the future, so that only the expiry of the certificate counts.
      await decide(stage, name, "Approved", formatTime(stage.now() + 48 * HOUR_MS));
      await stage.of(CertificateSigningRequests).until(name, ({ status }) => Boolean(status?.certificate));
      await expectGone(stage, name);
    },
  },
  {
    name: "certificatesigningrequest-cleaner/2 counts the time of the decision, and no other condition",
    async play(stage) {
      const name = await open(stage);
      await decide(stage, name, "Denied", formatTime(stage.now() + 3 * HOUR_MS));
      await expectKept(stage, 4, name);
      await expectGone(stage, name);
    },
  },
  {
    name: "certificatesigningrequest-cleaner/3 deletes a request that is held, and it goes when it is held no more",
    async play(stage) {
      const name = await open(stage);
      const requests = stage.of(CertificateSigningRequests);
      await requests.patch(name, { metadata: { finalizers: ["example.com/hold"] } });
      await decide(stage, name, "Denied");
      let hours = 0;
      while ((await requests.get(name)).metadata.deletionTimestamp === undefined) {
        if (++hours > 4) throw new Error("not deleted");
        await stage.pass(HOUR_MS);
      }
      await requests.patch(name, { metadata: { finalizers: null } });
      await requests.untilGone(name);
      await graceHour(stage);
    },
  },
  {
    name: "certificatesigningrequest-cleaner/traps looks for the first time an hour after its start",
    alone: true,
    async play(stage) {
      const name = await open(stage);
      await decide(stage, name, "Denied", formatTime(stage.now() - 2 * HOUR_MS));
      await stage.restart();
      await stage.calm(async () => {
        await stage.pass(HOUR_MS - 60_000);
        if (!(await isThere(stage, name))) throw new Error("gone before the first look");
        await stage.pass(60_000);
      });
      await expectGone(stage, name);
    },
  },
];

export const scenarios: readonly Scenario[] = scenariosOf(
  "certificatesigningrequest-cleaner-controller",
  { cast: "auth" },
  texts.map((text) => ({ ...text, virtualOnly: HOURLY, confirmedBy: "cleaner" })),
);
