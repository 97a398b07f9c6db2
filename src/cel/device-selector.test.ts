// Selectors of devices compiled like upstream: errors and estimated costs.

import { describe, expect, it } from "vitest";
import vectors from "#test/vectors/device-cel.json" with { type: "json" };
import { compileDeviceSelector } from "./device-selector.ts";

interface Vector {
  readonly expression: string;
  readonly type?: string;
  readonly error?: string;
  readonly cost?: string;
}

describe("device selectors against upstream", () => {
  it.each((vectors as readonly Vector[]).map((each) => [each.expression, each] as const))(
    "machinery/7.2.r8 %s",
    (expression, { type, error, cost }) => {
      const compiled = compileDeviceSelector(expression);
      expect(compiled.error).toBe(error);
      if (error === undefined) expect(String(compiled.costMax)).toBe(cost);
      else expect(compiled.isInternal === true).toBe(type === "InternalError");
    },
  );
});
