// Compares the answers of two servers to one fuzzed request: first the meaning, then every word.

import { differencesOf } from "./case.ts";
import type { NormalAnswer, Played } from "./fuzz-player.ts";

/** The difference in meaning, otherwise in words; "" if there is none. */
export interface Comparison {
  readonly meaning: string;
  readonly words: string;
}

export function compare(ours: Played, theirs: Played): Comparison {
  const meaning = firstDifference(meaningOf(ours.normal), meaningOf(theirs.normal));
  return { meaning, words: meaning || firstDifference(wordsOf(ours.normal), wordsOf(theirs.normal)) };
}

interface StatusBody {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly field?: string }[] };
}

/** Status code, reason, causes, and the result of a success. */
function meaningOf({ status, body }: NormalAnswer): Record<string, unknown> {
  const { reason = "", details } = (body ?? {}) as StatusBody;
  const causes = (details?.causes ?? []).map((cause) => `${cause.reason ?? ""} ${cause.field ?? ""}`).sort();
  return { status, reason, causes, events: eventsOf(body), body: status < 300 ? withoutMessages(body) : "" };
}

/** Everything, including messages, warnings, details and headers. */
const wordsOf = (answer: NormalAnswer): Record<string, unknown> => ({ ...answer });

/** The events of a watch: "ADDED a, DELETED a". */
function eventsOf(body: unknown): string | undefined {
  if (!Array.isArray(body)) return undefined;
  const events = body as { type?: string; object?: { metadata?: { name?: string }; rows?: unknown[] } }[];
  return events.map(({ type, object }) => `${type} ${object?.metadata?.name ?? ""}`).join(", ");
}

/** Errors inside a watch are compared by their reason. */
function withoutMessages(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  return body.map((event: { type?: string; object?: StatusBody }) =>
    event?.type === "ERROR" ? { type: "ERROR", reason: event.object?.reason } : event,
  );
}

const SHOWN_MAX = 1_500;

function firstDifference(ours: Record<string, unknown>, theirs: Record<string, unknown>): string {
  for (const key of Object.keys(theirs)) {
    for (const difference of differencesOf(ours[key], theirs[key], key)) return difference.slice(0, SHOWN_MAX);
  }
  return "";
}
