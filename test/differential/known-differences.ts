// Where we are meant to differ from the Go manager, each with its reason. One that no longer occurs in any
// scenario it names fails the run: the list only holds what is true.

export interface KnownDifference {
  /** The scenarios in which it must occur. */
  readonly scenarios: RegExp;
  /** Held against Difference.where. */
  readonly where: RegExp;
  readonly reason: string;
}

export const knownDifferences: readonly KnownDifference[] = [];
