// Logs the same error at most once a second. While the API server is down every key of every controller fails for one
// cause; such a log hides earlier lines and fills the disk. Deviation: upstream logs each failure. The next line of the
// same cause has the number of omitted lines.

import { ApiError } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { TransportError } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import { LeadershipUncertain } from "./election/fence.ts";

const QUIET_MS = 1000;
/** The number of causes remembered before old ones are forgotten. */
const CAUSES_MAX = 1000;

interface Said {
  atMs: number;
  omitted: number;
}

/** A logger that omits repeated errors, including those logged as information; other lines pass. */
export function withoutRepeats(log: Logger, clock: Clock): Logger {
  return limited(log, "", new Map(), clock);
}

function limited(log: Logger, name: string, said: Map<string, Said>, clock: Clock): Logger {
  /** How many lines of this cause were omitted since the last one; undefined: omit this one too. */
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
  const byLevel: Logger[] = []; // cached, because v() is called for every line, even disabled ones
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

/** A server that is down or overloaded is one cause for all requests. Any other error is one cause for all objects. */
function causeOf(err: unknown): string {
  if (err instanceof TransportError) return err.failure;
  if (err instanceof ApiError && (err.code === 429 || err.code >= 500)) return String(err.code);
  if (err instanceof LeadershipUncertain) return err.name;
  return errorMessage(err).replaceAll(/\d+/g, "N"); // versions, counts and times differ between tries
}

function forgetOld(said: Map<string, Said>, nowMs: number): void {
  for (const [key, { atMs }] of said) if (nowMs - atMs >= QUIET_MS) said.delete(key);
}
