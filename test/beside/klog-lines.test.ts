import { expect, it } from "vitest";
import { complaintsIn, onlyIn } from "./klog-lines.ts";

const LOG = `I1116 15:00:00.000001   12 a.go:1] fine
E1116 15:00:00.000001   12 a.go:10] "failed" pod="load-3/web-5d4f8b-x2x4c" err="after 12.5s"
E1116 15:00:01.000001   12 a.go:10] "failed" pod="load-9/web-77aa8b-zzzzz" err="after 3s"
W1116 15:00:02.000001   12 b.go:7] uid 0a0b0c0d-0000-1111-2222-333344445555 is gone
a line of no log`;

it("counts warnings and errors that differ only in names, times and numbers as one", () => {
  const first = 'E a.go "failed" pod="load-N/web-<suffix>" err="after <duration>"';
  expect([...complaintsIn(LOG)]).toEqual([
    [first, 2],
    ["W b.go uid <uid> is gone", 1],
  ]);
  expect(onlyIn(complaintsIn(LOG), new Map([["W b.go uid <uid> is gone", 5]]))).toEqual([[first, 2]]);
});
