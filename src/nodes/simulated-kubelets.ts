// The kubelets of simulated nodes for the API server: they only serve logs of containers.

import { childScope } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import { isAborted } from "#base/errors.ts";
import type { HttpResponse } from "#base/http.ts";
import type { Kubelets, LogRequest } from "#rules/kubelets.ts";
import { type ContainerRun, type LogLine, linesOf, rendered, runOf, sameRun } from "./container-log.ts";

/** How often a followed log is checked. */
const FOLLOW_MS = 1000;
const HEADERS = { "content-type": "text/plain", "cache-control": "no-cache, private" };

export function simulatedKubelets(clock: Clock): Kubelets {
  return {
    refusal: "pods of this cluster are simulated: there are no containers",
    readLog(request, signal): HttpResponse {
      const { podName, container, isPrevious, sinceMs = 0, tailLines } = request;
      const run = runOf(request.pod() ?? {}, podName, container, isPrevious);
      const written = linesOf(run, clock.now());
      const since = written.filter(({ atMs }) => atMs >= sinceMs);
      const shown = tailLines === undefined ? since : since.slice(Math.max(0, since.length - tailLines));
      const printer = new LogPrinter(request);
      const bytes = printer.print(shown);
      if (!request.follows || printer.isFull) {
        return { status: 200, headers: HEADERS, body: { kind: "bytes", bytes } };
      }
      const chunks = followed(run, written.length, bytes, printer, { clock, request }, signal);
      return { status: 200, headers: HEADERS, body: { kind: "stream", chunks } };
    },
  };
}

class LogPrinter {
  readonly #hasTimestamps: boolean;
  #bytesLeft: number;

  constructor({ hasTimestamps, limitBytes = Number.POSITIVE_INFINITY }: LogRequest) {
    this.#hasTimestamps = hasTimestamps;
    this.#bytesLeft = limitBytes;
  }

  get isFull(): boolean {
    return this.#bytesLeft <= 0;
  }

  print(lines: readonly LogLine[]): Uint8Array {
    const text = lines.map((line) => rendered(line, this.#hasTimestamps)).join("");
    const bytes = new TextEncoder().encode(text);
    const shown = bytes.length > this.#bytesLeft ? bytes.subarray(0, this.#bytesLeft) : bytes;
    this.#bytesLeft -= shown.length;
    return shown;
  }
}

/** The iterator ends at once when its reader leaves: a generator would first wait for the next check. */
function followed(
  begun: ContainerRun,
  written: number,
  first: Uint8Array,
  printer: LogPrinter,
  { clock, request }: { readonly clock: Clock; readonly request: LogRequest },
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const scope = childScope(signal);
  let run: ContainerRun | undefined = begun;
  let shown = written;
  let pending = first;
  const finish = (): IteratorResult<Uint8Array> => {
    run = undefined;
    scope.abort();
    return { done: true, value: undefined };
  };
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    while (pending.length === 0) {
      if (run === undefined || run.end !== undefined || printer.isFull) return finish();
      try {
        await clock.sleep(FOLLOW_MS, scope.signal);
      } catch (error) {
        if (isAborted(error, scope.signal)) return finish();
        throw error;
      }
      run = sameRun(request.pod(), begun);
      if (run === undefined) return finish();
      const lines = linesOf(run, clock.now(), shown);
      shown += lines.length;
      pending = printer.print(lines);
    }
    const value = pending;
    pending = new Uint8Array(0);
    return { done: false, value };
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: async () => finish() }) };
}
