// One request and its answer, on the embedded server in this process or on the real one.

import { generateKeyPairSync } from "node:crypto";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { parseExactJson } from "#api/json.ts";
import type { KubeObject } from "#api/object.ts";
import { decodeProtobuf, encodeProtobuf } from "#api/proto-codec.ts";
import { decodeWatchEvent, FrameSplitter } from "#api/proto-watch.ts";
import { decodeYaml } from "#api/yaml.ts";
import { choosePlugins } from "#apiserver/admission/default-plugins.ts";
import { type ApiServerOptions, createApiServer } from "#apiserver/create-api-server.ts";
import { bytesTransport } from "#apiserver/in-process-transport.ts";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import type { HttpHeaders, HttpResponse, Transport } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import { noLog } from "#base/log.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { serverMetrics } from "#cmd/server-metrics.ts";
import { keyReader } from "#platform/certificates/key-reader.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { systemTimeZones } from "#platform/system/time-zones.ts";
import { publicJwk } from "#platform/tokens/jwk.ts";
import { jwtSigner } from "#platform/tokens/jwt-signer.ts";
import { jwtVerifier } from "#platform/tokens/jwt-verifier.ts";
import type { ControlPlane } from "#test/real/control-plane.ts";
import { type JudgeSettings, plainSettings } from "./judge-flags.ts";

export interface Call {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** An object is sent as JSON, or as protobuf if the content type says so; text is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Omits the administrator's certificate: the headers identify the user. */
  readonly withoutCertificate?: boolean;
  /** Called once the head of the answer has arrived. */
  onOpen?(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  /** Only the headers that clients use. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON or protobuf, a list of events for a watch, or text. */
  readonly body: unknown;
}

export interface Subject {
  readonly name: "embedded" | "real";
  ask(call: Call): Promise<Answer>;
  /** Every earlier version is too old from now on. */
  forgetHistory(): Promise<void>;
  close(): void;
}

/** An embedded server on the system clock; requests come from system:masters. */
export function embeddedSubject(
  { gates: on, versions, plugins }: JudgeSettings = plainSettings,
  more: Partial<ApiServerOptions> = {},
): Subject {
  const gates = new FeatureGates(featureGateTable(), "1.36");
  const storage = new MemoryStorage({ clock: systemClock });
  // The same kind of key as the real server's, because answers about its keys are compared.
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const server = createApiServer({
    clock: systemClock,
    rng: seededRng("judge"),
    log: noLog,
    ...serverMetrics(),
    storage,
    gates: { isEnabled: (name) => on.includes(name) || (gates.has(name) && gates.isEnabled(name)) },
    runtimeConfig: Object.fromEntries(versions.map((version) => [version, "true"])),
    admission: choosePlugins({ enabled: plugins }),
    keyReader,
    timeZones: systemTimeZones(),
    tokenKeys: { publicKeys: [publicJwk(key)], sign: jwtSigner(key), verify: jwtVerifier([key]) },
    ...more,
  });
  // The extra field that the real server adds for a client certificate.
  const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${"0".repeat(64)}`] };
  const peer = { user: { name: "test-admin", groups: ["system:masters"], extra } };
  return subject("embedded", bytesTransport(server, { peer }), bytesTransport(server), {
    forgetHistory: async () => storage.compact(storage.revision),
    close: () => server.close(),
  });
}

export async function realSubject(plane: ControlPlane): Promise<Subject> {
  const { certificatePem: cert, keyPem: key } = plane.admin;
  const server = { baseUrl: plane.server, ca: plane.pki.ca.certificatePem };
  const client = await createHttpClient({ ...server, cert, key });
  const anyone = await createHttpClient(server);
  return subject("real", client, anyone, {
    // Only a new API server process has no cache of the history that etcd has compacted.
    forgetHistory: async () => {
      await plane.compactEtcd();
      await plane.restartApiServer();
    },
    close: () => {
      client.close();
      anyone.close();
    },
  });
}

/** Waiting requests end by themselves within 3 s. This limit is for the others, on a busy machine. */
const WATCH_LIMIT_MS = 30_000;

function subject(
  name: Subject["name"],
  asAdministrator: Transport,
  asAnyone: Transport,
  rest: Pick<Subject, "forgetHistory" | "close">,
): Subject {
  return {
    ...rest,
    name,
    async ask({ method, target, body, headers = {}, withoutCertificate, onOpen }) {
      const transport = withoutCertificate === true ? asAnyone : asAdministrator;
      const question = target.indexOf("?");
      const bytes = encoded(body, lowerCase(headers)["content-type"]);
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), WATCH_LIMIT_MS);
      try {
        const response = await transport.send(
          {
            method,
            path: question < 0 ? target : target.slice(0, question),
            query: question < 0 ? "" : target.slice(question + 1),
            headers: {
              "user-agent": "judge/1",
              ...(bytes === undefined ? {} : { "content-type": "application/json" }),
              ...lowerCase(headers),
            },
            ...(bytes === undefined ? {} : { body: { kind: "bytes", bytes } }),
          },
          limit.signal,
        );
        const [answer] = await Promise.all([readAnswer(response), onOpen?.()]);
        return answer;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function encoded(body: unknown, contentType: string | undefined): Uint8Array | undefined {
  if (body === undefined) return undefined;
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (contentType === PROTOBUF) return encodeProtobuf(body as KubeObject);
  return new TextEncoder().encode(stringifyJson(body));
}

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const COMPARED_HEADERS = ["allow", "cache-control", "etag", "retry-after", "vary"];

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

async function readAnswer({ status, headers, body }: HttpResponse): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  if (body.kind === "bytes") chunks.push(body.bytes);
  if (body.kind === "stream") for await (const chunk of body.chunks) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const contentType = one(headers, "content-type");
  const compared = COMPARED_HEADERS.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, one(headers, name)]],
  );
  return {
    status,
    contentType,
    warnings: all(headers, "warning"),
    headers: Object.fromEntries(compared) as Record<string, string>,
    body: parse(bytes, contentType),
  };
}

function parse(bytes: Uint8Array, contentType: string): unknown {
  if (contentType === `${PROTOBUF};stream=watch`)
    return new FrameSplitter().push(bytes).map((it) => decodeWatchEvent(it));
  if (contentType === PROTOBUF) return decodeProtobuf(bytes);
  const text = new TextDecoder().decode(bytes);
  if (contentType.startsWith("application/yaml")) return decodeYaml(text).value;
  if (!contentType.startsWith("application/json")) return text;
  const lines = text.split("\n").filter((line) => line !== "");
  if (lines.length > 0 && lines.every((line) => line.startsWith('{"type":"')))
    return lines.map((line) => parseExactJson(line) as unknown);
  try {
    return parseExactJson(text) as unknown;
  } catch {
    return text;
  }
}

const one = (headers: HttpHeaders, name: string): string => all(headers, name)[0] ?? "";

function all(headers: HttpHeaders, name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  // Some clients join repeated headers; every warning starts with its code.
  return (typeof value === "string" ? [value] : value).flatMap((text) =>
    name === "warning" ? text.split(/, (?=299 )/) : [text],
  );
}
