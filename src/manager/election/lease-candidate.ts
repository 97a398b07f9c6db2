// Coordinated leader election from the candidate's side: a LeaseCandidate with our identity and version, renewed
// whenever the API server pings it. The API server picks the leader.
// Upstream: client-go/tools/leaderelection/leasecandidate.go.

import { LeaseCandidates } from "#api/generated/resources/coordination-v1beta1.ts";
import type { LeaseCandidate } from "#api/generated/types/coordination-v1beta1.ts";
import { formatMicroTime, parseMicroTime } from "#api/time.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { Metrics } from "#base/metrics.ts";
import type { Rng } from "#base/rng.ts";
import type { Client } from "#client/client.ts";
import { createInformerFactory } from "#informers/factory.ts";
import { KeyQueue } from "#kit/key-queue.ts";
import { runSynced, type Task } from "#kit/run-synced.ts";
import { eventCause } from "#kit/trace.ts";
import { requeueAfter, runWorkers, type SyncResult } from "#kit/worker-loop.ts";

const ENSURE_EVERY_MS = 5 * 60_000;
const QUEUE = "leasecandidate";

export interface CandidateOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly namespace: string;
  /** Our identity in the election. */
  readonly identity: string;
  readonly leaseName: string;
  /** "1.36.4". */
  readonly binaryVersion: string;
  readonly emulationVersion: string;
}

export interface Candidate {
  readonly hasSynced: boolean;
  run(signal: AbortSignal): Promise<void>;
}

export function createCandidate(options: CandidateOptions): Candidate {
  const { client, clock, rng, metrics, namespace, identity } = options;
  const log = options.log.named(QUEUE);
  const key = `${namespace}/${identity}`;
  const candidates = client.resource(LeaseCandidates);
  const queue = new KeyQueue({ context: { clock, metrics }, controller: QUEUE, name: QUEUE });
  const informers = createInformerFactory({
    client,
    clock,
    rng: rng.fork(QUEUE),
    log,
    resyncPeriodMs: ENSURE_EVERY_MS,
  });
  const informer = informers.informer(LeaseCandidates, { namespace, fieldSelector: `metadata.name=${identity}` });
  const registration = informer.addHandler({
    onUpdate: (_, candidate) => {
      if (isAsked(candidate.spec)) queue.add(key, eventCause(LeaseCandidates, "update", candidate));
    },
  });

  const ensure = async (_: string, signal: AbortSignal): Promise<SyncResult> => {
    const renewTime = formatMicroTime(clock.now());
    const known = informer.store.get(key);
    if (known === undefined) {
      log.v(2).info("Creating lease candidate");
      const { leaseName, binaryVersion, emulationVersion } = options;
      const spec = { leaseName, binaryVersion, emulationVersion, strategy: "OldestEmulationVersion", renewTime };
      await candidates.create({ object: { metadata: { namespace, name: identity }, spec } }, signal);
    } else {
      log.v(2).info("Lease candidate exists. Renewing.");
      await candidates.update({ object: { ...known, spec: { ...known.spec, renewTime } } }, signal);
    }
    return requeueAfter(ENSURE_EVERY_MS, "a candidate must show that it is alive");
  };

  return {
    get hasSynced() {
      return informer.hasSynced;
    },
    async run(signal) {
      informers.start();
      queue.addAfter(key, 0, "the candidate is new");
      try {
        const work: Task = (signal) => runWorkers({ queue, log, workers: 1, sync: ensure }, signal);
        await runSynced({ name: QUEUE, log, waitFor: [registration], tasks: [work] }, signal);
      } finally {
        await informers.shutdown();
      }
    },
  };
}

/** The API server has pinged since our last renewal. */
export function isAsked({ pingTime, renewTime }: LeaseCandidate["spec"]): boolean {
  if (!pingTime) return false;
  return renewTime === undefined || parseMicroTime(pingTime) > parseMicroTime(renewTime);
}
