// A planted fault: a small change to the program that some suite must notice.

/** The files that export a `plan`. */
export const planFolder = "test/planted-faults";

export interface PlantedFault {
  /** What is now wrong. */
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** What must be red: part of a test's name. Anything else may be red as well. */
  readonly noticedBy: string;
}

export interface FaultPlan {
  /** What must turn red: arguments of `bun test`. */
  readonly suites?: readonly string[];
  /** All tests of the suites run, because one looks back at what the others did; else only those that faults name. */
  readonly areWhole?: boolean;
  /** Or plays with faults: arguments of test/stage/play-faults.ts. */
  readonly plays?: readonly string[];
  readonly faults: readonly PlantedFault[];
}
