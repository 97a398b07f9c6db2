// /flagz and /statusz: text for people, and JSON or YAML for programs, which must name the kind in Accept.
// Upstream: apiserver/pkg/server/{flagz,statusz}.

import { newNotAcceptable } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { Clock } from "#base/clock.ts";
import type { HttpResponse } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import type { Rng } from "#base/rng.ts";
import { headerValue } from "#client/headers.ts";
import type { DaemonRequest, Handler } from "./request.ts";
import { acceptClauses, jsonText, statusResponse, textResponse, wantsPretty } from "./responses.ts";
import { yamlText } from "./yaml-text.ts";

const COMPONENT = "kube-controller-manager";
const GROUP = "config.k8s.io";
const versions: readonly string[] = ["v1beta1", "v1alpha1"];
const accepted: readonly string[] = ["application/json", "application/yaml", "text/plain"];
/** The text is not for programs, so the separator of names and values is random, as in upstream. */
const delimiters = [":", ": ", "=", " "] as const;
const WARNING =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";

type Form =
  | { readonly kind: "text" }
  | { readonly kind: "structured"; readonly type: string; readonly version: string };

interface Page {
  readonly name: "flagz" | "statusz";
  readonly kind: "Flagz" | "Statusz";
  text(): string;
  fields(): Readonly<Record<string, unknown>>;
}

export function flagzPage(flags: () => ReadonlyMap<string, string>, rng: Rng, log: Logger): Handler {
  let rendered: string | undefined;
  return pageHandler(
    {
      name: "flagz",
      kind: "Flagz",
      fields: () => ({ flags: Object.fromEntries([...flags()].sort(([a], [b]) => (a < b ? -1 : 1))) }),
      text() {
        const delimiter = delimiters[rng.below(delimiters.length)];
        const lines = [...flags()]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, value]) => name + delimiter + value);
        rendered ??= `\n${COMPONENT} flagz\n${WARNING}\n${lines.join("\n")}\n`;
        return rendered;
      },
    },
    log,
  );
}

export interface StatusFacts {
  readonly clock: Clock;
  readonly startedAtMs: number;
  /** The version of the runtime, in the field for Go's version. */
  readonly runtimeVersion: string;
  readonly binaryVersion: string;
  readonly emulationVersion: string;
  readonly paths: readonly string[];
}

export function statuszPage(facts: StatusFacts, rng: Rng, log: Logger): Handler {
  const { clock, startedAtMs, runtimeVersion, binaryVersion, emulationVersion, paths } = facts;
  const uptimeSeconds = (): number => Math.max(0, Math.trunc((clock.now() - startedAtMs) / 1000));
  return pageHandler(
    {
      name: "statusz",
      kind: "Statusz",
      fields: () => ({
        startTime: formatTime(startedAtMs),
        uptimeSeconds: uptimeSeconds(),
        goVersion: runtimeVersion,
        binaryVersion,
        emulationVersion,
        paths,
      }),
      text() {
        const delimiter = delimiters[rng.below(delimiters.length)];
        const lines: readonly (readonly [string, string])[] = [
          ["Started", unixDate(startedAtMs)],
          ["Up", uptimeText(uptimeSeconds())],
          ["Go version", runtimeVersion],
          ["Binary version", binaryVersion],
          ["Emulation version", emulationVersion],
          ["Paths", paths.join(" ")],
        ];
        const body = lines.map(([name, value]) => `${name}${delimiter} ${value}`).join("\n");
        return `\n${COMPONENT} statusz\n${WARNING}\n\n${body}\n`;
      },
    },
    log,
  );
}

function pageHandler(page: Page, log: Logger): Handler {
  return (request) => {
    const form = chooseForm(headerValue(request.headers, "accept"), page.kind);
    if (form === undefined) {
      const error = newNotAcceptable(accepted);
      log.named("UnhandledError").error(error, "Unhandled Error");
      return statusResponse(error, request, { types: accepted });
    }
    return form.kind === "text" ? textResponse(200, page.text()) : structured(page, form, request);
  };
}

function structured(page: Page, form: Form & { kind: "structured" }, request: DaemonRequest): HttpResponse {
  const object = {
    kind: page.kind,
    apiVersion: `${GROUP}/${form.version}`,
    metadata: { name: COMPONENT },
    ...page.fields(),
  };
  const text = form.type === "application/yaml" ? yamlText(object) : jsonText(object, wantsPretty(request));
  const isOld = form.version === "v1alpha1";
  const warning = `299 - "This version of the ${page.name} endpoint is deprecated. Please use a newer version."`;
  return textResponse(200, text, {
    "content-type": `${form.type};g=${GROUP};v=${form.version};as=${page.kind}`,
    ...(isOld ? { warning } : {}),
  });
}

/** The first clause that we can answer, by weight; undefined when there is none. */
function chooseForm(accept: string, kind: string): Form | undefined {
  if (accept.trim() === "") return { kind: "text" };
  for (const { type, parameters } of acceptClauses(accept)) {
    const converts = ["as", "g", "v"].some((name) => parameters.has(name));
    if (!converts && ["text/plain", "text/*", "*/*"].includes(type)) return { kind: "text" };
    const version = parameters.get("v") ?? "";
    const isOurs = parameters.get("as") === kind && parameters.get("g") === GROUP && versions.includes(version);
    if (!isOurs) continue;
    if (type === "application/json" || type === "application/*" || type === "*/*") {
      return { kind: "structured", type: "application/json", version };
    }
    if (type === "application/yaml") return { kind: "structured", type, version };
  }
  return undefined;
}

/** "Sun Nov 15 10:15:35 UTC 2026". */
function unixDate(timeMs: number): string {
  const date = new Date(timeMs);
  const day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][date.getUTCDay()];
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const time = date.toISOString().slice(11, 19);
  const dayOfMonth = String(date.getUTCDate()).padStart(2);
  return `${day} ${months[date.getUTCMonth()]} ${dayOfMonth} ${time} UTC ${date.getUTCFullYear()}`;
}

function uptimeText(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${Math.trunc(seconds / 3600)} hr ${two(Math.trunc(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
