import { describe, expect, it } from "vitest";
import { hostTurn, neverAborted } from "#base/testing.ts";
import { singleFlight } from "./single-flight.ts";

/** Work that the test ends by hand, or that ends with its caller. */
function setUp() {
  const ends: ((result: string) => void)[] = [];
  const work = singleFlight(
    (signal) =>
      new Promise<string>((resolve, reject) => {
        ends.push(resolve);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  );
  return { ends, work };
}

describe("work that several want", () => {
  it("is done once for all concurrent callers, and again for later ones", async () => {
    const { ends, work } = setUp();
    const together = Promise.all([work(neverAborted()), work(neverAborted())]);
    ends[0]?.("first");
    expect(await together).toEqual(["first", "first"]);
    const later = work(neverAborted());
    ends[1]?.("second");
    expect([await later, ends.length]).toEqual(["second", 2]);
  });

  it("is started again for the remaining callers when the first caller aborts", async () => {
    const { ends, work } = setUp();
    const stop = new AbortController();
    const first = work(stop.signal).catch((error: unknown) => error);
    const second = work(neverAborted()).catch((error: unknown) => error);
    stop.abort();
    expect(await first).toBe(stop.signal.reason);
    await hostTurn();
    ends[1]?.("done");
    expect(await second).toBe("done");
  });

  it("fails for all when it fails by itself", async () => {
    const work = singleFlight(() => Promise.reject(new Error("boom")));
    const outcomes = [work(neverAborted()), work(neverAborted())].map((one) => one.catch((error: unknown) => error));
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toEqual(new Error("boom"));
  });
});
