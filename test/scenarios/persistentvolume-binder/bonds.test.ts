// Claims, volumes and pods are created and deleted at random, and the manager dies after one of its writes, watches
// break or caches lag. At any time no claim has two volumes, no data is deleted under the policy Retain, and no claim
// is deleted while a pod on a node uses it. At the end every claim is gone, and so are the volumes with the policy
// Delete.

import { expect, it } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes, Pods } from "#api/generated/resources/core-v1.ts";
import type { Rng } from "#base/rng.ts";
import { seededRng } from "#base/seeded-rng.ts";
import type { World } from "#sim/world.ts";
import { type EmbeddedCluster, openEmbedded } from "#test/stage/embedded.ts";
import type { Fault } from "#test/stage/fault-lines.ts";
import { Play } from "#test/stage/play.ts";
import { bind, finishDeletion } from "#test/stage/pods.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Reader, Stage } from "#test/stage/stage.ts";
import { createClaim, createVolume } from "#test/stage/volume-binding.ts";
import { claimVolume, createPodWith } from "#test/stage/volumes.ts";

/** SEEDS=100 plays the first hundred. */
const SEEDS: readonly number[] = Array.from({ length: Number(process.env.SEEDS ?? 2) }, (_, index) => index + 1);
const STEPS = 30;
const DEATHS = 5;
const FINALIZER = "kubernetes.io/pvc-protection";
const SIZES = ["1Gi", "2Gi", "3Gi"];
const POLICIES = ["Retain", "Retain", "Delete"];

const pathOf = (volume: string): string => `/tmp/${volume}`;
const pick = <T>(rng: Rng, items: readonly T[]): T => items[rng.below(items.length)] as T;

/** The objects that the story has created, and those that must therefore exist. */
class Story {
  readonly #stage: Stage;
  readonly #rng: Rng;
  readonly #files: World["host"];
  readonly #kept: string[] = [];
  readonly #dropped: string[] = [];
  /** The pods on nodes, and their claims. */
  readonly #users = new Map<string, string>();
  #made = 0;

  constructor(stage: Stage, rng: Rng, files: World["host"]) {
    this.#stage = stage;
    this.#rng = rng;
    this.#files = files;
  }

  async play(): Promise<void> {
    const stage = this.#stage;
    stage.always("no claim has two volumes", (reader) => this.#hasNoSecondVolume(reader));
    stage.always("volumes and data are kept under Retain", (reader) => this.#isKept(reader));
    stage.always("claims in use are kept", (reader) => this.#areUsedClaimsThere(reader));
    const actions: readonly (() => Promise<unknown>)[] = [
      () => this.#addVolume(),
      () => this.#addClaim(),
      () => this.#addClaim(),
      () => this.#addUser(),
      () => this.#removeUser(),
      () => this.#deleteClaim(),
      () => this.#useAndDelete(),
    ];
    for (let step = 0; step < STEPS; step++) {
      await pick(this.#rng, actions)();
      await stage.pass(this.#rng.below(1500));
    }
    await this.#clear();
  }

  async #addVolume(): Promise<void> {
    const [policy, size] = [pick(this.#rng, POLICIES), pick(this.#rng, SIZES)];
    const base = `volume-${this.#made++}`;
    const path = pathOf(this.#stage.name(base));
    this.#files.write(`${path}/data`, "precious");
    const spec = { persistentVolumeReclaimPolicy: policy };
    const name = await createVolume(this.#stage, base, { size, spec, source: { hostPath: { path } } });
    (policy === "Retain" ? this.#kept : this.#dropped).push(name);
  }

  /** Some claims name a volume. */
  async #addClaim(): Promise<void> {
    const volumes = await this.#stage.of(PersistentVolumes).list();
    const wanted = this.#rng.below(4) === 0 && volumes.length > 0 ? pick(this.#rng, volumes).metadata.name : undefined;
    const spec = wanted === undefined ? {} : { volumeName: wanted };
    await createClaim(this.#stage, `claim-${this.#made++}`, { size: pick(this.#rng, SIZES), spec });
  }

  async #addUser(): Promise<string | undefined> {
    const claims = (await this.#stage.of(PersistentVolumeClaims).list()).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    if (claims.length === 0) return undefined;
    const claim = pick(this.#rng, claims).metadata.name;
    const pod = `pod-${this.#made++}`;
    await createPodWith(this.#stage, pod, claimVolume(claim));
    await bind(this.#stage, pod, "node-1");
    this.#users.set(pod, claim);
    return claim;
  }

  /** The pod is on its node before the deletion, however old the caches are. */
  async #useAndDelete(): Promise<void> {
    const claim = await this.#addUser();
    if (claim !== undefined) await this.#stage.of(PersistentVolumeClaims).delete(claim);
  }

  async #removeUser(): Promise<void> {
    if (this.#users.size === 0) return;
    const pod = pick(this.#rng, [...this.#users.keys()]);
    this.#users.delete(pod);
    await finishDeletion(this.#stage, pod);
  }

  async #deleteClaim(): Promise<void> {
    const claims = await this.#stage.of(PersistentVolumeClaims).list();
    if (claims.length > 0) await this.#stage.of(PersistentVolumeClaims).delete(pick(this.#rng, claims).metadata.name);
  }

  async #hasNoSecondVolume(reader: Reader): Promise<boolean> {
    const volumes = await reader.of(PersistentVolumes).list();
    const claims = volumes.flatMap(({ spec }) => spec?.claimRef?.uid ?? []).filter((uid) => uid !== "");
    return new Set(claims).size === claims.length;
  }

  async #isKept(reader: Reader): Promise<boolean> {
    const volumes = (await reader.of(PersistentVolumes).list()).map(({ metadata }) => metadata.name);
    const recyclers = (await reader.of(Pods, "default").list()).map(({ metadata }) => metadata.name);
    return this.#kept.every(
      (name) => volumes.includes(name) && this.#hasData(name) && !recyclers.includes(`recycler-for-${name}`),
    );
  }

  async #areUsedClaimsThere(reader: Reader): Promise<boolean> {
    const claims = await reader.of(PersistentVolumeClaims).list();
    const isThere = (claim: string): boolean =>
      claims.some(({ metadata }) => metadata.name === claim && metadata.finalizers?.includes(FINALIZER));
    return [...this.#users.values()].every(isThere);
  }

  #hasData(volume: string): boolean {
    try {
      return this.#files.files.read(`${pathOf(volume)}/data`) === "precious";
    } catch {
      return false;
    }
  }

  async #clear(): Promise<void> {
    const stage = this.#stage;
    const bound = (await stage.of(PersistentVolumeClaims).list()).flatMap(({ spec, status }) =>
      status?.phase === "Bound" ? (spec?.volumeName ?? []) : [],
    );
    while (this.#users.size > 0) await this.#removeUser();
    for (const { metadata } of await stage.of(Pods).list()) await finishDeletion(stage, metadata.name);
    await stage.of(PersistentVolumeClaims).deleteAll();
    await stage.of(PersistentVolumeClaims).untilAll((claims) => claims.length === 0);
    for (const name of this.#dropped.filter((volume) => bound.includes(volume))) {
      await stage.of(PersistentVolumes).untilGone(name);
      expect([name, this.#hasData(name)]).toEqual([name, false]);
    }
  }
}

async function playWith(fault: Fault | undefined, seed: number): Promise<void> {
  let cluster: EmbeddedCluster | undefined;
  const [scenario] = scenariosOf("persistentvolume-binder-controller", { cast: "storage" }, [
    {
      name: `seed ${seed}`,
      async play(stage) {
        if (cluster !== undefined) await new Story(stage, seededRng(`bonds ${seed}`), cluster.world.host).play();
      },
    },
  ]) as [Scenario];
  cluster = await openEmbedded(scenario, fault);
  try {
    await new Play(scenario, cluster.backend).run();
  } finally {
    await cluster.stop();
  }
}

for (const seed of SEEDS) {
  it(`persistentvolume-binder/traps, persistentvolumeclaim-protection/4 keeps bonds, data and used claims, whatever dies when (${seed})`, async () => {
    const rng = seededRng(`deaths ${seed}`);
    const deaths = Array.from({ length: DEATHS }, (): Fault => ({ kind: "death", afterWrites: 1 + rng.below(25) }));
    for (const fault of [undefined, ...deaths, { kind: "cut watches" }, { kind: "lag", ms: 3000 }] as const) {
      await playWith(fault, seed);
    }
  });
}
