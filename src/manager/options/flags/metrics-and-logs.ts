// Flags of metrics and logging.

import { bool, duration, level, moduleLevels, quantity, string, stringMap, strings } from "../../flags/flag-types.ts";
import { at, type BoundFlag } from "./bound-flag.ts";

export const metrics: readonly BoundFlag[] = [
  at(
    "show-hidden-metrics-for-version",
    string,
    "metrics.showHiddenForVersion",
    "Show metrics that were hidden in this version; only the previous minor version, such as 1.35, is accepted.",
  ),
  at("disabled-metrics", strings, "metrics.disabled", "Full names of metrics to leave out, hidden ones included."),
  at(
    "allow-metric-labels",
    stringMap,
    "metrics.allowLabels",
    "Values a label may have, others become 'unexpected': metric,label='value,value'. Repeatable.",
  ),
  at(
    "allow-metric-labels-manifest",
    string,
    "metrics.allowLabelsManifest",
    "YAML file with allowListMapping, a map of the same form. --allow-metric-labels overrides it.",
  ),
];

export const logs: readonly BoundFlag[] = [
  at("logging-format", string, "logs.format", 'Format of log lines: "text" or "json" (gated by LoggingBetaOptions).'),
  at("log-flush-frequency", duration, "logs.flushFrequency", "Longest time that log lines may be buffered."),
  at("v", level, "logs.verbosity", "Log verbosity.", { shorthand: "v" }),
  at("vmodule", moduleLevels, "logs.moduleLevels", "Verbosity by source file pattern; text format only."),
  at(
    "log-text-split-stream",
    bool,
    "logs.textSplitStream",
    "[Alpha] Text format: errors to standard error, the rest to standard output. Needs LoggingAlphaOptions.",
  ),
  at(
    "log-text-info-buffer-size",
    quantity,
    "logs.textInfoBufferSize",
    "[Alpha] Text format: bytes of info lines buffered with split streams, such as 512 or 2Ki. Needs LoggingAlphaOptions.",
  ),
  at(
    "log-json-split-stream",
    bool,
    "logs.jsonSplitStream",
    "[Alpha] JSON format: errors to standard error, the rest to standard output. Needs LoggingAlphaOptions.",
  ),
  at(
    "log-json-info-buffer-size",
    quantity,
    "logs.jsonInfoBufferSize",
    "[Alpha] JSON format: bytes of info lines buffered with split streams, such as 512 or 2Ki. Needs LoggingAlphaOptions.",
  ),
];
