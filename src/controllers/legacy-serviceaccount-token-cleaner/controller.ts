/**
 * Deletes auto-generated tokens of service accounts that have not been used for a long time.
 *
 * Keeps true:  a token that was generated for a service account, that no pod mounts, and that was not used for
 *              --legacy-service-account-token-clean-up-period is marked as invalid. It is deleted after another such
 *              period.
 * Requeues:    checks all tokens at start and every 24 hours, and retries failures then.
 * Deviations:  tokens are processed in the order of their names.
 * Upstream:    pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go.
 */

import { ConfigMaps, Pods, Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { durationMs, formatDuration, type GoDuration } from "#api/go-duration.ts";
import { until } from "#base/wait.ts";
import { get, patch, remove } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { cleanUp, type Deps } from "./clean-up.ts";

const CHECK_PERIOD_MS = 24 * 3_600_000;

export interface LegacyTokenCleanerOptions {
  /** --legacy-service-account-token-clean-up-period */
  readonly period: GoDuration;
}

export const legacyTokenCleanerController: ControllerDescriptor<LegacyTokenCleanerOptions> = keyedController({
  name: "legacy-serviceaccount-token-cleaner-controller",
  contract: {
    watches: [ServiceAccounts, Secrets, Pods],
    reads: [get(ConfigMaps)],
    writes: [patch(Secrets), remove(Secrets, { preconditions: "resourceVersion" })],
  },
  build(parts, { period }) {
    if (period <= 0n)
      throw new Error(
        `failed to init the legacy service account token cleaner: invalid CleanUpPeriod: ${formatDuration(period)}`,
      );
    const { clock } = parts.context;
    const deps: Deps = {
      clock,
      log: parts.log,
      accounts: parts.informer(ServiceAccounts),
      secrets: parts.informer(Secrets),
      pods: parts.informer(Pods),
      secretsApi: parts.client.resource(Secrets),
      configMapsApi: parts.client.resource(ConfigMaps),
      periodMs: durationMs(period),
    };
    parts.loop((signal) => until((signal) => cleanUp(deps, signal), CHECK_PERIOD_MS, clock, signal));
  },
});
