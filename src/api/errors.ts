// The error for invalid text: quantities, selectors, durations, times, schedules. Its message is upstream's.

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
