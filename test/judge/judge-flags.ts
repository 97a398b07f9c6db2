// How the judge is started. Admission plugins that the embedded server does not have are switched off on it.

const missing: Readonly<Record<string, string>> = {
  DefaultIngressClass: "Ingress is served from its schema so far",
  RuntimeClass: "adds the overhead of a class to pods; classes are served from their schema so far",
};

export const judgeFlags: readonly string[] = [
  `--disable-admission-plugins=${Object.keys(missing).join(",")}`,
  // Its controller writes the status of flow schemas, sooner or later.
  "--enable-priority-and-fairness=false",
];

/** What both servers have beyond what they have by default. */
export interface JudgeSettings {
  readonly gates: readonly string[];
  readonly versions: readonly string[];
}

export const plainSettings: JudgeSettings = { gates: [], versions: [] };

/** For kinds and versions that are not served by default. */
export const moreSettings: JudgeSettings = {
  gates: ["DRADeviceTaintRules", "DRAResourcePoolStatus", "GenericWorkload"],
  versions: [
    "resource.k8s.io/v1alpha3",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1beta2",
    "scheduling.k8s.io/v1alpha2",
  ],
};

export const flagsOf = ({ gates, versions }: JudgeSettings): readonly string[] => [
  ...judgeFlags,
  ...(gates.length === 0 ? [] : [`--feature-gates=${gates.map((gate) => `${gate}=true`).join(",")}`]),
  ...(versions.length === 0 ? [] : [`--runtime-config=${versions.map((version) => `${version}=true`).join(",")}`]),
];
