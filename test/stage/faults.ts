// Stage b: the embedded server with faults. The manager dies before its first write and after each write; watches
// break; caches lag. The scenario's waits and `always` checks must hold in each of these plays. Each play must also end
// like the play without faults:
// - after the same virtual time, the same objects, except Events;
// - the same successful creates and deletes, as a multiset;
// - in ten more minutes, no write that the play without faults does not have.

import type { KubeObject } from "#api/object.ts";
import type { Resource } from "#api/resource.ts";
import { errorMessage } from "#base/errors.ts";
import { stringifyJson } from "#base/json.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { compare, type Difference } from "./compare.ts";
import { contractViolations } from "./contracts.ts";
import { type EmbeddedCluster, openEmbedded } from "./embedded.ts";
import type { Fault } from "./fault-lines.ts";
import { withoutRepetitions } from "./garbage-collection.ts";
import type { Item, Section } from "./items.ts";
import { Vocabulary } from "./normalise.ts";
import { Play } from "./play.ts";
import { identityOf, isAbout, isDecision, isEventOrLease, isReview, isWrite, listedResource } from "./requests.ts";
import { isExcused, type Scenario } from "./scenario.ts";

/** By then the successor of a manager that died has finished the work. */
const REST_MS = 120_000;
/** The most that faults may lengthen a phase. */
const REST_PER_PHASE_MS = 15_000;
const LATER_MS = 600_000;
const LAG_MS = 3000;

/** The results of a play. */
interface Remains {
  /** When the end state was taken. */
  readonly atMs: number;
  readonly endState: readonly Item[];
  readonly createsAndDeletes: readonly Item[];
  readonly laterWrites: readonly Item[];
  /** The numbers of writes after which the manager may die. */
  readonly deaths: readonly number[];
}

export interface FaultFinding {
  readonly fault: Fault;
  readonly differences: readonly Difference[];
  /** Why the play failed. */
  readonly error?: string;
}

/** Plays the scenario with every fault, until `isDue` returns false. */
export async function playFaults(scenario: Scenario, isDue: () => boolean = () => true): Promise<FaultReport> {
  const calm = await remainsOf(scenario);
  const faults: Fault[] = [
    ...calm.deaths.map((afterWrites): Fault => ({ kind: "death", afterWrites })),
    { kind: "cut watches" },
    { kind: "lag", ms: LAG_MS },
  ];
  const findings: FaultFinding[] = [];
  const excused = new Set<string>();
  let played = 0;
  for (const fault of faults) {
    if (!isDue()) break;
    played++;
    try {
      const differences = differencesOf(calm, await remainsOf(scenario, fault, calm.atMs));
      const unexcused = differences.filter((difference) => {
        const exception = scenario.exceptions?.find((each) => isExcused(difference, each));
        if (exception !== undefined) excused.add(exception.reason);
        return exception === undefined;
      });
      if (unexcused.length > 0) findings.push({ fault, differences: unexcused });
    } catch (error) {
      findings.push({ fault, differences: [], error: errorMessage(error) });
    }
  }
  const isWhole = played === faults.length;
  const outdated = isWhole ? (scenario.exceptions ?? []).filter(({ reason }) => !excused.has(reason)) : [];
  return { played, isWhole, findings, outdated: outdated.map(({ reason }) => reason) };
}

export interface FaultReport {
  /** How many plays with a fault there were. */
  readonly played: number;
  readonly isWhole: boolean;
  readonly findings: readonly FaultFinding[];
  /** Exceptions that excused no difference in any play. */
  readonly outdated: readonly string[];
}

/** The play without faults determines the time at which the end states of the others are read. */
async function remainsOf(scenario: Scenario, fault?: Fault, atMs?: number): Promise<Remains> {
  const cluster = await openEmbedded(scenario, fault);
  try {
    const { backend } = cluster;
    const play = new Play(scenario, backend);
    await play.run();
    const lookMs = atMs ?? backend.now() + REST_MS + play.phaseEnds.length * REST_PER_PHASE_MS;
    if (backend.now() > lookMs) throw new Error(`took ${backend.now() - lookMs} virtual ms longer than without faults`);
    await backend.pass(lookMs - backend.now());
    const endState = await endStateOf(cluster, scenario, play);
    const requests = backend.requests();
    await backend.pass(LATER_MS);
    const later = backend.requests().slice(requests.length);
    const violations = contractViolations(scenario.cast, cluster.allRequests());
    if (violations.length > 0) throw new Error(`without a contract that allows it: ${violations.join("; ")}`);
    const words = new Vocabulary({
      ...noTraces,
      tag: backend.tag,
      phases: [requests],
      symbols: play.symbols,
      written: play.written,
    });
    const item = (event: AuditEvent): Item => requestItem(event, words);
    return {
      atMs: lookMs,
      endState,
      createsAndDeletes: collectionsOnce(withoutRepetitions(requests.filter(isCreateOrDelete))).map(item),
      laterWrites: collectionsOnce(later.filter(isDecision)).map(item),
      deaths: deathsAmong(requests.filter((event) => isDecision(event) && isSuccess(event))),
    };
  } finally {
    await cluster.stop();
  }
}

const isOfCollection = ({ verb }: AuditEvent): boolean => verb === "deletecollection";

/** Zero, and the number of each write, except inside a row of deletecollection requests: deaths there are all alike. */
function deathsAmong(writes: readonly AuditEvent[]): readonly number[] {
  const isAlike = (index: number): boolean => {
    const around = [writes[index - 1], writes[index], writes[index + 1]];
    return around.every((event) => event !== undefined && isOfCollection(event));
  };
  return [0, ...writes.flatMap((_, index) => (isAlike(index) ? [] : [index + 1]))];
}

/** Counts each deletecollection once: its repetition deletes nothing more. */
function collectionsOnce(writes: readonly AuditEvent[]): readonly AuditEvent[] {
  const seen = new Set<string>();
  return writes.filter((event) => {
    if (!isOfCollection(event)) return true;
    const isNew = !seen.has(event.requestURI);
    seen.add(event.requestURI);
    return isNew;
  });
}

const noTraces = { repeated: new Set<string>(), objects: [], events: [] };

function differencesOf(calm: Remains, faulty: Remains): readonly Difference[] {
  const sections = ({ endState, createsAndDeletes }: Remains): readonly Section[] => [
    { name: "end state", items: endState },
    { name: "creates and deletes", items: createsAndDeletes },
  ];
  const later = ({ laterWrites }: Remains): readonly Section[] => [{ name: "later writes", items: laterWrites }];
  return [
    ...compare(sections(calm), sections(faulty)),
    // Writes of the play without faults may be missing.
    ...compare(later(calm), later(faulty)).filter(({ left }) => left === undefined),
  ];
}

/** All objects of the kinds that any client wrote during the play. */
async function endStateOf(cluster: EmbeddedCluster, scenario: Scenario, play: Play): Promise<readonly Item[]> {
  const { backend, allRequests } = cluster;
  const { tag } = backend;
  const resources = new Map<string, Resource>();
  for (const event of allRequests()) {
    if (!isWrite(event) || isEventOrLease(event) || isReview(event) || (!scenario.alone && !isAbout(event, tag)))
      continue;
    const resource = listedResource(event);
    resources.set(`${resource.group} ${resource.resource}`, resource);
  }
  const objects: KubeObject[] = [];
  for (const resource of resources.values()) {
    const list = await backend.run((client, signal) => client.resource(resource).list({}, signal));
    const kindName = list.kind?.replace(/List$/, "") ?? resource.resource;
    objects.push(
      ...list.items
        .filter((object) => isOfPlay(object, scenario, tag))
        .map((object) => ({ kind: kindName, ...object })),
    );
  }
  const words = new Vocabulary({ ...noTraces, tag, phases: [], symbols: play.symbols, written: play.written, objects });
  return objects.map((object) => {
    const { metadata = {} } = object;
    const { managedFields: _, resourceVersion: __, ...meta } = metadata;
    const value = words.value({ ...object, metadata: meta }) as KubeObject;
    return { label: `${value.kind} ${value.metadata?.namespace ?? ""} ${value.metadata?.name}`, value };
  });
}

/** Leaves out kube-system: the service accounts of controllers depend on the managers that ran. */
function isOfPlay(object: KubeObject, { alone }: Scenario, tag: string): boolean {
  if (stringifyJson(object).includes(tag)) return true;
  return alone === true && object.metadata?.namespace !== "kube-system";
}

function requestItem(event: AuditEvent, words: Vocabulary): Item {
  const { objectRef: { resource = "", subresource, namespace, name } = {}, responseObject } = event;
  const created = (responseObject as KubeObject | undefined)?.metadata?.name;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? "" : `${namespace}/`;
  const target = event.verb === "create" && subresource === undefined ? (created ?? name) : name;
  return { label: words.text(`${identityOf(event)}: ${event.verb} ${what} ${where}${target ?? ""}`), value: true };
}

/** Leaves out token requests: each manager makes them for its controllers. */
function isCreateOrDelete(event: AuditEvent): boolean {
  const isQuestion = event.objectRef?.subresource === "token" || isReview(event);
  return isDecision(event) && isSuccess(event) && !isQuestion && /^(create|delete)/.test(event.verb);
}

function isSuccess({ responseStatus }: AuditEvent): boolean {
  const code = responseStatus?.code ?? 0;
  return code >= 200 && code < 300;
}
