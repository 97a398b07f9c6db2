// Several errors as one, worded as upstream's aggregate: one error stands alone, several are listed
// in brackets without repeats. Upstream: k8s.io/apimachinery/pkg/util/errors, aggregate.

import { aggregateText, errorMessage } from "#base/errors.ts";

export class AggregateOperationError extends Error {
  override readonly name = "AggregateOperationError";
  readonly errors: readonly unknown[];
  constructor(errors: readonly unknown[]) {
    super(aggregateText(errors.map(errorMessage)));
    this.errors = errors;
  }
}

/** Undefined for no errors, the error itself for one, an aggregate for more. */
export function aggregate(errors: readonly unknown[]): unknown {
  return errors.length < 2 ? errors[0] : new AggregateOperationError(errors);
}
