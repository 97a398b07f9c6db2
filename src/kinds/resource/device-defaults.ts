// Defaults of devices and their taints. Upstream: pkg/apis/resource/{v1,v1beta1,v1beta2}/defaults.go

import { formatTime } from "#api/time.ts";
import { all, each, isNil, nil, type Rule, set, values } from "#kinds/parts/defaulting.ts";

export const deviceTaint: Rule = (taint, ctx) =>
  isNil(taint.timeAdded) ? set(taint, "timeAdded", formatTime(ctx.now)) : taint;

export const device: Rule = all(
  values("nodeAllocatableResourceMappings", nil({ allocationMultiplier: "1" })),
  each("taints", deviceTaint),
);
