// Pods that use one volume with different SELinux labels or policies get warnings. The pods stay pending: their nodes
// do not matter.

import { expect } from "vitest";
import { Events, Pods, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { CSIDrivers } from "#api/generated/resources/storage-v1.ts";
import type { Event, PodSpec, SELinuxOptions, Volume } from "#api/generated/types/core-v1.ts";
import { createCsiVolume, createUnboundCsiVolume } from "#test/stage/csi.ts";
import { createNamespace } from "#test/stage/namespaces.ts";
import { setPodStatus } from "#test/stage/pods.ts";
import { oftenTold, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { bindClaim, claimVolume } from "#test/stage/volumes.ts";

const MANY = { accessModes: ["ReadWriteMany"] };

/** Creates a driver that mounts with an SELinux context, unless `seLinuxMount` is false; returns its name. */
async function createDriver(stage: Stage, seLinuxMount = true): Promise<string> {
  const { metadata } = await stage.of(CSIDrivers).create({
    metadata: { name: stage.name("csi") },
    spec: { attachRequired: false, seLinuxMount },
  });
  await stage.settle();
  return metadata.name;
}

interface PodText {
  readonly options?: SELinuxOptions;
  readonly policy?: string;
  readonly volume?: Volume;
  readonly namespace?: string;
  readonly more?: Partial<PodSpec>;
}

/** Creates a pod whose only container mounts the volume of the claim "data". */
async function createPod(stage: Stage, name: string, text: PodText = {}): Promise<void> {
  const { options, policy, volume = claimVolume("data"), namespace, more } = text;
  const mount = { name: volume.name ?? "", mountPath: "/data" };
  await stage.of(Pods, namespace).create({
    metadata: { name },
    spec: {
      containers: [{ name: "main", image: "example/web:1", volumeMounts: [mount] }],
      securityContext: {
        ...(options === undefined ? {} : { seLinuxOptions: options }),
        ...(policy === undefined ? {} : { seLinuxChangePolicy: policy }),
      },
      volumes: [volume],
      ...more,
    },
  });
  await stage.settle();
}

const labelled = (level: string): PodText => ({ options: { level } });

function conflictEvent(stage: Stage, pod: string, property: string, value: string, other: string, otherValue: string) {
  const message =
    `${property} "${value}" conflicts with pod ${other} that uses the same volume as this pod with ${property} "${otherValue}". ` +
    "If both pods land on the same node, only one of them may access the volume.";
  const isIt = (event: Event): boolean =>
    event.type === "Normal" && event.involvedObject?.name === pod && event.message === message;
  return stage.event(`${property}Conflict`, isIt);
}

async function noWarnings(stage: Stage): Promise<void> {
  await stage.calm(async () => {
    const found = (await stage.of(Events).list()).filter(({ reason }) => reason?.includes("SELinux"));
    expect(found.map(({ reason, message }) => `${reason} ${message}`)).toEqual([]);
  });
}

export const scenarios: readonly Scenario[] = scenariosOf("selinux-warning-controller", { cast: "storage" }, [
  {
    name: "selinux-warning/1, selinux-warning/3, selinux-warning/5, selinux-warning/about, selinux-warning/watches, selinux-warning/writes, selinux-warning/events tells both pods that their labels conflict",
    async play(stage) {
      const driver = await createDriver(stage);
      await createCsiVolume(stage, "data", MANY, driver);
      await createPod(stage, "one", labelled("s0:c1,c2"));
      await createPod(stage, "two", labelled("s0:c98,c99"));
      await conflictEvent(stage, "one", "SELinuxLabel", ":::s0:c1,c2", "two", ":::s0:c98,c99");
      await conflictEvent(stage, "two", "SELinuxLabel", ":::s0:c98,c99", "one", ":::s0:c1,c2");
    },
  },
  {
    name: "selinux-warning/5 finds no conflict where a part that nodes fill in is missing",
    async play(stage) {
      const driver = await createDriver(stage);
      await createCsiVolume(stage, "data", MANY, driver);
      const level = "s0:c1,c2";
      await createPod(stage, "one", { options: { user: "system_u", role: "system_r", type: "container_t", level } });
      await createPod(stage, "two", { options: { level } });
      await createPod(stage, "three", { options: { type: "container_t", level } });
      await noWarnings(stage);
      await createPod(stage, "four", { options: { type: "spc_t", level } });
      await conflictEvent(stage, "four", "SELinuxLabel", `::spc_t:${level}`, "three", `::container_t:${level}`);
    },
    chance: [{ where: /writes of Events/, reason: "a pod's conflicts are told in the order of a Go map" }],
  },
  {
    name: "selinux-warning/4, selinux-warning/5 tells both pods that their policies conflict",
    async play(stage) {
      const driver = await createDriver(stage);
      await createCsiVolume(stage, "data", MANY, driver);
      await createPod(stage, "one", labelled("s0:c1,c2"));
      await createPod(stage, "two", { ...labelled("s0:c1,c2"), policy: "Recursive" });
      await conflictEvent(stage, "one", "SELinuxChangePolicy", "MountOption", "two", "Recursive");
      await conflictEvent(stage, "two", "SELinuxChangePolicy", "Recursive", "one", "MountOption");
      await conflictEvent(stage, "one", "SELinuxLabel", ":::s0:c1,c2", "two", "");
    },
  },
  {
    name: "selinux-warning/3, selinux-warning/4 does not care for volumes whose driver does not mount with a context, until it does",
    async play(stage) {
      const driver = await createDriver(stage, false);
      await createCsiVolume(stage, "data", MANY, driver);
      await createPod(stage, "one", labelled("s0:c1,c2"));
      await createPod(stage, "two", labelled("s0:c98,c99"));
      await noWarnings(stage);
      await stage.of(CSIDrivers).patch(driver, { spec: { seLinuxMount: true } });
      await conflictEvent(stage, "one", "SELinuxLabel", ":::s0:c1,c2", "two", ":::s0:c98,c99");
      await conflictEvent(stage, "two", "SELinuxLabel", ":::s0:c98,c99", "one", ":::s0:c1,c2");
    },
    chance: [{ where: /writes of Events/, reason: "which pod of a driver is judged first is the order of a Go map" }],
  },
  {
    name: "selinux-warning/1 judges pods anew when their driver comes and goes",
    async play(stage) {
      const driver = stage.name("csi");
      await createCsiVolume(stage, "data", MANY, driver);
      await createPod(stage, "one", labelled("s0:c1,c2"));
      await createPod(stage, "two", { ...labelled("s0:c1,c2"), policy: "Recursive" });
      await noWarnings(stage);
      await createDriver(stage);
      await conflictEvent(stage, "one", "SELinuxChangePolicy", "MountOption", "two", "Recursive");
      await stage.settle();
      await stage.of(CSIDrivers).delete(driver);
      await stage.settle();
      await createPod(stage, "three", labelled("s0:c98,c99"));
      await stage.calm(async () => {
        const about = (await stage.of(Events).list()).filter(({ involvedObject }) => involvedObject?.name === "three");
        expect(about.filter(({ reason }) => reason?.includes("SELinux"))).toEqual([]);
      });
    },
  },
  {
    name: "selinux-warning/1, selinux-warning/6 judges pods once their claim is bound",
    async play(stage) {
      const driver = await createDriver(stage);
      const volume = await createUnboundCsiVolume(stage, "data", MANY, driver);
      await createPod(stage, "one", labelled("s0:c1,c2"));
      await createPod(stage, "two", labelled("s0:c98,c99"));
      await bindClaim(stage, "data", volume.name);
      await conflictEvent(stage, "one", "SELinuxLabel", ":::s0:c1,c2", "two", ":::s0:c98,c99");
      await conflictEvent(stage, "two", "SELinuxLabel", ":::s0:c98,c99", "one", ":::s0:c1,c2");
    },
    chance: [{ where: /writes of Events/, reason: "which pod of the claim is judged first is chance" }],
  },
  {
    name: "selinux-warning/1, selinux-warning/2 forgets pods that have ended or are gone",
    async play(stage) {
      const driver = await createDriver(stage);
      await createCsiVolume(stage, "data", MANY, driver);
      await createPod(stage, "one", labelled("s0:c1,c2"));
      await setPodStatus(stage, "one", { phase: "Succeeded" });
      await stage.settle();
      await createPod(stage, "two", labelled("s0:c3,c4"));
      await stage.of(Pods).delete("two", { gracePeriodSeconds: 0 });
      await stage.settle();
      await createPod(stage, "three", labelled("s0:c5,c6"));
      await noWarnings(stage);
    },
  },
  {
    name: "selinux-warning/2 warns of a volume that has two labels in one pod",
    async play(stage) {
      const driver = await createDriver(stage);
      await createCsiVolume(stage, "data", MANY, driver);
      const container = (name: string, level: string) => ({
        name,
        image: "example/web:1",
        securityContext: { seLinuxOptions: { level } },
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      });
      const containers = [container("main", "s0:c1,c2"), container("side", "s0:c3,c4")];
      await createPod(stage, "web", { more: { containers, automountServiceAccountToken: false } });
      await stage.event(
        "MultipleSELinuxLabels",
        ({ type, message }) =>
          type === "Warning" &&
          message === 'Volume "data" is mounted twice with different SELinux labels inside this pod',
      );
    },
    chance: [oftenTold("how often the sync is retried before the end is chance")],
  },
  {
    name: "selinux-warning/3, selinux-warning/5, selinux-warning/traps does not tell a pod the name of one in another namespace",
    async play(stage) {
      const elsewhere = await createNamespace(stage, "elsewhere");
      await stage.of(ServiceAccounts, elsewhere).create({ metadata: { name: "default" } });
      const iqn = `iqn.2026-01.com.example:${stage.name("disk")}`;
      const volume = { name: "disk", iscsi: { targetPortal: "10.0.0.1:3260", iqn, lun: 0 } };
      await createPod(stage, "one", { ...labelled("s0:c1,c2"), volume });
      await createPod(stage, "two", { ...labelled("s0:c98,c99"), volume, namespace: elsewhere });
      const message =
        'SELinuxLabel":::s0:c1,c2" conflicts with another pod that uses the same volume as this pod with a different SELinuxLabel. ' +
        "If both pods land on the same node, only one of them may access the volume.";
      await stage.event("SELinuxLabelConflict", (event) => event.message === message);
    },
  },
]);
