// Reads the API server's audit log: requests in order, with users and bodies.

import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";

export interface AuditEvent {
  readonly auditID: string;
  readonly stage: "ResponseStarted" | "ResponseComplete" | "Panic";
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly apiVersion?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly reason?: string; readonly message?: string };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

export interface AuditLog {
  /** The current end of the log, for since(). */
  mark(): number;
  /** All events written after the mark; from the beginning without one. */
  since(mark?: number): AuditEvent[];
  /** Each call returns the events written since the previous call. */
  follow(): () => readonly AuditEvent[];
}

/** Logs bodies of everything except health checks and the API server's calls to itself. */
export const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    { level: "None", nonResourceURLs: ["/healthz*", "/livez*", "/readyz*"] },
    { level: "None", users: ["system:apiserver"] },
    { level: "RequestResponse" },
  ],
} as const;

export function openAuditLog(file: string): AuditLog {
  const wholeLines = (from: number): string => {
    if (!existsSync(file)) return "";
    const text = readFrom(file, from);
    // The last line may be incomplete.
    return text.slice(0, text.lastIndexOf("\n") + 1);
  };
  const parsed = (text: string): AuditEvent[] =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as AuditEvent);
  return {
    mark: () => (existsSync(file) ? statSync(file).size : 0),
    since: (mark = 0) => parsed(wholeLines(mark)),
    follow() {
      let position = 0;
      return () => {
        const text = wholeLines(position);
        position += Buffer.byteLength(text);
        return parsed(text);
      };
    },
  };
}

function readFrom(file: string, position: number): string {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(Math.max(statSync(file).size - position, 0));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, position)).toString();
  } finally {
    closeSync(descriptor);
  }
}
