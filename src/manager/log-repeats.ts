// Says the same thing once a second at most. While the API server is away every key of every controller fails for
// one cause; a log full of it hides what came before, and fills the disk.
// Deviation: upstream logs each failure. What was left out is counted on the next line of the same cause.

import { ApiError } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { TransportError } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import { LeadershipUncertain } from "./election/fence.ts";

const QUIET_MS = 1000;
/** So many causes are remembered before the old ones are forgotten. */
const CAUSES_MAX = 1000;

interface Said {
  atMs: number;
  omitted: number;
}

/** A logger whose errors do not repeat themselves, those told as information included; other lines pass. */
export function withoutRepeats(log: Logger, clock: Clock): Logger {
  return limited(log, "", new Map(), clock);
}

function limited(log: Logger, name: string, said: Map<string, Said>, clock: Clock): Logger {
  /** How often this was left out since it was last said; undefined: it is too soon to say it again. */
  const omittedBefore = (key: string): number | undefined => {
    const nowMs = clock.monotonicMs();
    const before = said.get(key);
    if (before !== undefined && nowMs - before.atMs < QUIET_MS) {
      before.omitted++;
      return undefined;
    }
    if (said.size >= CAUSES_MAX) forgetOld(said, nowMs);
    said.set(key, { atMs: nowMs, omitted: 0 });
    return before?.omitted ?? 0;
  };
  const child = (of: Logger, itsName = name): Logger => limited(of, itsName, said, clock);
  const byLevel: Logger[] = []; // asked for on every line that is not wanted
  return {
    info(message, values) {
      const err = values?.err;
      if (err !== undefined && !log.isEnabled) return;
      const omitted = err === undefined ? 0 : omittedBefore(`${name} ${message} ${causeOf(err)}`);
      if (omitted !== undefined) log.info(message, omitted === 0 ? values : { ...values, omitted });
    },
    error(err, message, values) {
      const omitted = omittedBefore(`${name} ${message} ${causeOf(err)}`);
      if (omitted !== undefined) log.error(err, message, omitted === 0 ? values : { ...values, omitted });
    },
    v(level) {
      byLevel[level] ??= child(log.v(level));
      return byLevel[level];
    },
    get isEnabled() {
      return log.isEnabled;
    },
    with: (values) => child(log.with(values)),
    named: (part) => child(log.named(part), name === "" ? part : `${name}.${part}`),
  };
}

/** A server that is away or overloaded is one cause, whatever was asked of it; any other, whomever it strikes. */
function causeOf(err: unknown): string {
  if (err instanceof TransportError) return err.failure;
  if (err instanceof ApiError && (err.code === 429 || err.code >= 500)) return String(err.code);
  if (err instanceof LeadershipUncertain) return err.name;
  return errorMessage(err).replaceAll(/\d+/g, "N"); // versions, counts and times differ from try to try
}

function forgetOld(said: Map<string, Said>, nowMs: number): void {
  for (const [key, { atMs }] of said) if (nowMs - atMs >= QUIET_MS) said.delete(key);
}
