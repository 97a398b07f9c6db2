import { expect, it } from "vitest";
import type { HttpResponse } from "#base/http.ts";
import { neverAborted } from "#base/testing.ts";
import { fencedTransport, type HeldLease, LeadershipUncertain } from "./fence.ts";

it("machinery/3.1.8 what is under way is given up whenever doubt comes, and nothing else", async () => {
  let doubt = (): void => undefined;
  const lease: HeldLease = {
    isCertain: () => true,
    onDoubt: (callback) => {
      doubt = callback;
    },
  };
  const begun: boolean[] = [];
  const fenced = fencedTransport(
    {
      send: (_, signal) => {
        begun.push(!signal.aborted);
        return new Promise<HttpResponse>((_, reject) => {
          if (signal.aborted) reject(signal.reason);
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        });
      },
    },
    lease,
  );
  // Certain again after the first doubt: the renewal was late, but successful.
  for (const _ of ["first", "second"]) {
    const post = fenced
      .send({ method: "POST", path: "/api/v1/pods", query: "", headers: {} }, neverAborted())
      .catch((error: unknown) => error);
    doubt();
    expect(await post).toBeInstanceOf(LeadershipUncertain);
  }
  expect(begun).toEqual([true, true]);
});
