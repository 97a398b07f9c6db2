import { describe, expect, it } from "vitest";
import type { ContainerStatus, Pod } from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { hostTurn } from "#base/testing.ts";
import { VirtualClock } from "#base/virtual-clock.ts";
import type { LogRequest } from "#rules/kubelets.ts";
import { simulatedKubelets } from "./simulated-kubelets.ts";

const START = Date.UTC(2026, 0, 1);
const time = (minutes: number): string => formatTime(START + minutes * 60_000);
const ended = (from: number, to: number, exitCode: number) => ({
  terminated: { exitCode, startedAt: time(from), finishedAt: time(to) },
});
const running = (from: number) => ({ running: { startedAt: time(from) } });

function podWith(restartCount: number, state: ContainerStatus["state"], lastState?: ContainerStatus["state"]): Pod {
  const more = { ...(state ? { state } : {}), ...(lastState ? { lastState } : {}) };
  const status = { name: "main", image: "nginx", imageID: "", ready: true, restartCount, ...more };
  return { status: { containerStatuses: [status] } };
}

const asked = (pod: Pod | undefined, more: Partial<LogRequest> = {}): LogRequest => ({
  pod: () => pod,
  podName: "web",
  container: "main",
  isPrevious: false,
  follows: false,
  hasTimestamps: false,
  ...more,
});

/** A clock this many minutes after the start. */
async function clockAt(minutes: number): Promise<VirtualClock> {
  const clock = new VirtualClock({ turn: hostTurn, startMs: START });
  await clock.advance(minutes * 60_000);
  return clock;
}

async function logOf(request: LogRequest, minutes: number): Promise<string> {
  const { body } = simulatedKubelets(await clockAt(minutes)).readLog(request, new AbortController().signal);
  return body.kind === "bytes" ? new TextDecoder().decode(body.bytes) : body.kind;
}

const STARTED = "simulated container main started: image nginx, restart 0\n";

describe("the log of a simulated container", () => {
  it.each<[string, Pod, Partial<LogRequest>, string]>([
    [
      "has a line for its start and for each minute",
      podWith(0, running(0)),
      {},
      `${STARTED}simulated container main has run for 1 min\nsimulated container main has run for 2 min\n`,
    ],
    ["has a tail", podWith(0, running(0)), { tailLines: 1 }, "simulated container main has run for 2 min\n"],
    ["may have no lines", podWith(0, running(0)), { tailLines: 0 }, ""],
    [
      "begins at a time, and shows it",
      podWith(0, running(0)),
      { sinceMs: START + 61_000, hasTimestamps: true },
      "2026-01-01T00:02:00.000000000Z simulated container main has run for 2 min\n",
    ],
    ["ends after so many bytes", podWith(0, running(0)), { limitBytes: 9 }, "simulated"],
    [
      "is that of the last run while the container waits",
      podWith(0, { waiting: { reason: "CrashLoopBackOff" } }, ended(0, 0, 3)),
      {},
      `${STARTED}simulated container main exited with code 3\n`,
    ],
    [
      "is that of the run before, where asked for",
      podWith(1, running(1), ended(0, 0, 3)),
      { isPrevious: true },
      `${STARTED}simulated container main exited with code 3\n`,
    ],
    [
      "counts restarts",
      podWith(1, running(2), ended(0, 0, 3)),
      {},
      "simulated container main started: image nginx, restart 1\n",
    ],
  ])("%s", async (_, pod, more, text) => {
    expect(await logOf(asked(pod, more), 2.5)).toBe(text);
  });

  it.each<[Pod, Partial<LogRequest>, string]>([
    [{}, {}, 'container "main" in pod "web" is waiting to start: ContainerCreating'],
    [
      podWith(0, { waiting: { reason: "ImagePullBackOff" } }),
      {},
      'container "main" in pod "web" is waiting to start: trying and failing to pull image',
    ],
    [podWith(0, running(0)), { isPrevious: true }, 'previous terminated container "main" in pod "web" not found'],
  ])("is refused with a kubelet's message: %j %j", async (pod, more, why) => {
    await expect(logOf(asked(pod, more), 1)).rejects.toThrow(why);
  });

  it("is followed until the container ends or the reader leaves", async () => {
    const clock = await clockAt(0);
    let pod: Pod = podWith(0, running(0));
    const open = (): AsyncIterator<Uint8Array> => {
      const request = { ...asked(undefined, { follows: true }), pod: () => pod };
      const { body } = simulatedKubelets(clock).readLog(request, new AbortController().signal);
      if (body.kind !== "stream") throw new Error(`the body is ${body.kind}`);
      return body.chunks[Symbol.asyncIterator]();
    };
    const text = ({ value }: IteratorResult<Uint8Array>): string => new TextDecoder().decode(value);
    const stream = open();
    expect(text(await stream.next())).toBe(STARTED);
    const second = stream.next();
    await clock.advance(61_000);
    expect(text(await second)).toBe("simulated container main has run for 1 min\n");
    const third = stream.next();
    pod = podWith(1, running(1.5), ended(0, 1.25, 3));
    await clock.advance(20_000);
    expect(text(await third)).toBe("simulated container main exited with code 3\n");
    expect((await stream.next()).done).toBe(true);
    const other = open();
    await other.next();
    const left = other.next();
    await other.return?.();
    expect((await left).done).toBe(true);
  });
});
