// The one typed error for text that does not say what it should: quantities, selectors, durations,
// times, schedules. Its message is the one upstream gives.

export type ValueKind =
  | "quantity"
  | "labelSelector"
  | "fieldSelector"
  | "duration"
  | "time"
  | "timeZone"
  | "cron"
  | "intOrString"
  | "resourceVersion";

export class ValueError extends Error {
  override readonly name = "ValueError";
  readonly value: ValueKind;
  constructor(value: ValueKind, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.value = value;
  }
}
