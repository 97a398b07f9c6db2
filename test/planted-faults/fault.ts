// A planted fault: a small change to the program that some suite must notice.

/** The files that export a `plan`. */
export const planFolder = "test/planted-faults";

export interface PlantedFault {
  /** What the fault breaks. */
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The test that must fail: part of its name. Other tests may fail too. */
  readonly noticedBy: string;
}

export interface FaultPlan {
  /** The suites that must fail: arguments of `bun test`. */
  readonly suites?: readonly string[];
  /** Run all tests of the suites, because one checks what the others did; otherwise only the tests that faults name. */
  readonly areWhole?: boolean;
  /** Or the plays with faults that must fail: arguments of test/stage/play-faults.ts. */
  readonly plays?: readonly string[];
  readonly faults: readonly PlantedFault[];
}
