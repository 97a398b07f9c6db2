// The outcomes of upstream's end-to-end tests, read from the reports of their runner, and the tests that are known to
// fail.

/** The used part of the runner's report. */
export interface SuiteReport {
  readonly SpecReports: readonly SpecReport[] | null;
}

interface SpecReport {
  readonly LeafNodeType: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

export interface Outcome {
  readonly name: string;
  readonly isPassed: boolean;
  readonly message?: string;
}

/** The tests that ran, without those that skipped themselves. */
export function outcomesOf(reports: readonly SuiteReport[]): readonly Outcome[] {
  return reports
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType, State }) => LeafNodeType === "It" && State !== "skipped" && State !== "pending")
    .map((spec) => ({
      name: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" "),
      isPassed: spec.State === "passed",
      ...(spec.Failure === undefined ? {} : { message: spec.Failure.Message }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Tests that are not run: part of the name, and the reason. */
export const leftOut: readonly (readonly [where: RegExp, why: string])[] = [
  [/\[Serial\]|\[Slow\]|\[Disruptive\]|\[Flaky\]/, "tests that need a cluster for themselves, or minutes"],
  [/\[Feature:|\[FeatureGate/, "features that a default cluster does not have"],
  [/[Ww]ebhook|Aggregator/, "webhooks, and images of servers that a container must run"],
  [
    /should mutate a Deployment|should validate against a Deployment|should allow expressions to refer/,
    "policies are stored and not enforced",
  ],
];

/** Tests that fail here: part of the name, and the reason. */
export const knownToFail: readonly (readonly [where: RegExp, why: string])[] = [
  [/health handlers should contain necessary checks/, "the checks are named after the parts of kube-apiserver"],
  [/requests can be classified by adding FlowSchema/, "flow schemas are stored and rule nothing"],
];

export interface Verdict {
  readonly passed: number;
  /** Failed without a known reason. */
  readonly surprises: readonly Outcome[];
  readonly known: readonly Outcome[];
  /** Known to fail, but passed. */
  readonly mended: readonly Outcome[];
}

export function verdictOn(outcomes: readonly Outcome[]): Verdict {
  const isKnown = ({ name }: Outcome): boolean => knownToFail.some(([where]) => where.test(name));
  const failed = outcomes.filter(({ isPassed }) => !isPassed);
  return {
    passed: outcomes.length - failed.length,
    surprises: failed.filter((outcome) => !isKnown(outcome)),
    known: failed.filter(isKnown),
    mended: outcomes.filter((outcome) => outcome.isPassed && isKnown(outcome)),
  };
}
