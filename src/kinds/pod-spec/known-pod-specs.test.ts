import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type * as core from "#api/generated/types/core-v1.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { pod as podKind } from "#kinds/core/pod.ts";
import { isSame } from "./known-pod-specs.ts";

const { strategy: podStrategy } = podKind;

const token = (letters: string): string => `kube-api-access-${letters}`;

/** The outcome of a write of this pod. New gates start with an empty cache. */
function judge(pod: core.Pod, gates: FeatureGateReader): unknown {
  const ctx = { now: 0, rng: seededRng(1), user: { name: "u" }, gates, dryRun: false };
  const prepared = podStrategy.prepareForCreate(pod, ctx);
  const errors = podStrategy.validate(prepared, ctx);
  const warnings = errors.length === 0 ? podStrategy.warningsOnCreate?.(prepared, ctx) : [];
  const updates =
    errors.length > 0
      ? []
      : annotationsOfUpdates.map((annotations) => {
          const updated = { ...prepared, metadata: { ...prepared.metadata, annotations, resourceVersion: "1" } };
          return podStrategy.validateUpdate(updated, prepared, ctx);
        });
  return { prepared, errors, warnings, updates };
}

/** Annotations of updates that do not change the spec. */
const annotationsOfUpdates = [
  { harmless: "x" },
  { "container.apparmor.security.beta.kubernetes.io/c": "nonsense" },
  { "seccomp.security.alpha.kubernetes.io/pod": "nonsense" },
  { "not a key": "x" },
];

const allOn = (): FeatureGateReader => ({ isEnabled: () => true });
const allOff = (): FeatureGateReader => ({ isEnabled: () => false });

const container = (name: string, volume: string): core.Container => ({
  name,
  image: "i",
  imagePullPolicy: "Always",
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  resources: { requests: { cpu: "100m" } },
  volumeMounts: [{ name: volume, mountPath: "/var/run/secrets" }],
});

const base: core.PodSpec = {
  containers: [container("c", token("aaaaa"))],
  restartPolicy: "Always",
  dnsPolicy: "ClusterFirst",
  terminationGracePeriodSeconds: 30,
  schedulerName: "default-scheduler",
  securityContext: {},
  serviceAccountName: "default",
  volumes: [{ name: token("aaaaa"), emptyDir: {} }],
};

/** Changes that matter to a rule, a default, a warning or the QoS class, in pairs that could be confused. */
const changes: readonly ((pod: core.Pod) => core.Pod)[] = [
  (pod) => pod,
  ...["b", "B", ""].map((name) => (pod: core.Pod) => ({ ...pod, metadata: { ...pod.metadata, name } })),
  ...["bbbbb", "ccccc"].map((letters) => (pod: core.Pod) => ({
    ...pod,
    spec: JSON.parse(JSON.stringify(pod.spec).replaceAll(token("aaaaa"), token(letters))) as core.PodSpec,
  })),
  ...(["bbbbb", "aaaaa"] as const).map((letters) => (pod: core.Pod) => ({
    ...pod,
    spec: { ...base, ...pod.spec, volumes: [...(pod.spec?.volumes ?? []), { name: token(letters), emptyDir: {} }] },
  })),
  ...[
    { containers: [] },
    { containers: [container("c", "missing")] },
    { containers: [container("c", token("bbbbb"))] },
    { containers: [container("c", token("aaaaa")), container("c", token("aaaaa"))] },
    { containers: [{ ...container("c", token("aaaaa")), resources: { requests: { cpu: "-1" } } }] },
    { containers: [{ ...container("c", token("aaaaa")), resources: {} }] },
    { containers: [{ ...container("c", token("aaaaa")), lifecycle: { stopSignal: "SIGTERM" } }] },
    { volumes: [] },
    { volumes: [{ name: token("aaaaa"), gitRepo: { repository: "r" } }] },
    { volumes: [{ name: token("aaaaa"), ephemeral: { volumeClaimTemplate: { spec: {} } } }] },
    { nodeName: "n", schedulingGates: [{ name: "example.com/g" }] },
    { schedulingGates: [{ name: "example.com/g" }] },
    { ephemeralContainers: [{ ...container("e", token("aaaaa")), resources: undefined }] },
    { securityContext: { appArmorProfile: { type: "RuntimeDefault" } } },
    { terminationGracePeriodSeconds: -1 },
    { nodeSelector: { "beta.kubernetes.io/os": "linux" } },
    { restartPolicy: "Sometimes" },
    { hostnameOverride: "h" },
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "z",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: {},
          matchLabelKeys: ["app"],
        },
      ],
    },
  ].map((spec) => (pod: core.Pod) => ({ ...pod, spec: { ...base, ...pod.spec, ...spec } as core.PodSpec })),
  ...[
    { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" },
    { "scheduler.alpha.kubernetes.io/critical-pod": "" },
    { "seccomp.security.alpha.kubernetes.io/pod": "nonsense" },
    { harmless: "x" },
  ].map((annotations) => (pod: core.Pod) => ({
    ...pod,
    metadata: { ...pod.metadata, annotations: { ...pod.metadata?.annotations, ...annotations } },
  })),
  ...["a", "b"].map((app) => (pod: core.Pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { app } } })),
];

const pods = fc
  .array(fc.array(fc.constantFrom(...changes), { maxLength: 3 }), { minLength: 2, maxLength: 30 })
  .map((lists) =>
    lists.map((list) =>
      list.reduce<core.Pod>((pod, change) => change(pod), { metadata: { name: "a", namespace: "n" }, spec: base }),
    ),
  );

describe("known pod specs", () => {
  it.each([
    ["on", allOn],
    ["off", allOff],
  ])("do not change the outcome, with all gates %s", (_, gates) => {
    fc.assert(
      fc.property(pods, (list) => {
        const shared = gates();
        for (const pod of list) expect(judge(pod, shared)).toEqual(judge(pod, gates()));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["on", allOn],
    ["off", allOff],
  ])("may be learned from updates, with all gates %s", (_, gates) => {
    fc.assert(
      fc.property(pods, (list) => {
        const shared = gates();
        const ctx = { now: 0, rng: seededRng(1), user: { name: "u" }, gates: shared, dryRun: false };
        for (const stored of list) {
          const pod = { ...stored, metadata: { ...stored.metadata, resourceVersion: "1" } };
          podStrategy.validateUpdate(pod, pod, ctx);
          expect(judge(stored, shared)).toEqual(judge(stored, gates()));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("are found with another name of their token volume, and no other change", () => {
    const named = (...letters: string[]): unknown => letters.map((each) => ({ name: token(each) }));
    expect(isSame(named("aaaaa", "aaaaa"), named("bbbbb", "bbbbb"))).toBe(true);
    expect(isSame(named("aaaaa", "aaaaa"), named("aaaaa", "bbbbb"))).toBe(false);
    expect(isSame(named("aaaaa", "bbbbb"), named("bbbbb", "bbbbb"))).toBe(false);
    expect(isSame(named("aaaaa", "bbbbb"), named("ccccc", "ccccc"))).toBe(false);
    expect(isSame(named("aaaaa"), named("AAAAA"))).toBe(false);
    expect(isSame(named("aaaaa"), named("aaaaaa"))).toBe(false);
    expect(isSame({ a: 1 }, { a: 1, b: undefined })).toBe(false);
    expect(isSame({ a: undefined }, { b: undefined })).toBe(false);
    expect(isSame([], {})).toBe(false);
    expect(isSame(null, {})).toBe(false);
  });
});
