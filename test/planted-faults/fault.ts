// A planted fault: a small change to the program that some suite must notice.

export interface PlantedFault {
  /** What is now wrong. */
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

export interface FaultPlan {
  /** What must turn red: arguments of `bun test`. */
  readonly suites: readonly string[];
  readonly faults: readonly PlantedFault[];
}
