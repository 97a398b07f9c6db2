import { expect, it } from "vitest";
import { ApiError, isConflict, isNotFound } from "#api/status-error.ts";
import { tolerate } from "./tolerate.ts";

const failure = (code: number, reason: string): Promise<never> =>
  Promise.reject(new ApiError({ code, reason, message: reason, status: "Failure" }));

it("passes a result on, and counts only the named errors as done", async () => {
  expect(await tolerate(Promise.resolve(1), isNotFound)).toBe(1);
  expect(await tolerate(failure(404, "NotFound"), isNotFound, isConflict)).toBeUndefined();
  expect(await tolerate(failure(409, "Conflict"), isNotFound, isConflict)).toBeUndefined();
  await expect(tolerate(failure(409, "Conflict"), isNotFound)).rejects.toThrow("Conflict");
});
