// The form of an answer: its encoding, and the whole object, its metadata or a table. Chosen from the Accept header
// like upstream, except that JSON is preferred to protobuf if both are accepted.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/negotiation; go-restful's route matching

import * as field from "#api/field-error.ts";
import { newGenericServerResponse } from "#api/server-response.ts";
import { newBadRequest, newNotAcceptable } from "#api/status-error.ts";
import { type AcceptClause, parseAccept } from "./media-type.ts";
import type { Query } from "./query.ts";
import { headerOf, type RequestContext, type ServerRequest } from "./request-context.ts";

export type Encoding = "json" | "yaml" | "protobuf";

export type Shape =
  | { readonly kind: "object" }
  | { readonly kind: "partial"; readonly isList: boolean; readonly metaVersion: string }
  | { readonly kind: "table"; readonly metaVersion: string; readonly includeObject: "None" | "Metadata" | "Object" };

export interface Representation {
  readonly encoding: Encoding;
  readonly isPretty: boolean;
  readonly shape: Shape;
}

export const MEDIA_TYPES: Readonly<Record<Encoding, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
};

const ENCODINGS: readonly Encoding[] = ["json", "yaml", "protobuf"];

export const ACCEPTED_TYPES: readonly string[] = ENCODINGS.map((encoding) => MEDIA_TYPES[encoding]);

/** The types for watches. */
export const STREAM_TYPES: readonly string[] = [
  `${MEDIA_TYPES.json};stream=watch`,
  `${MEDIA_TYPES.protobuf};stream=watch`,
];

const WHOLE: Shape = { kind: "object" };
const PLAIN_JSON: Representation = { encoding: "json", isPretty: false, shape: WHOLE };
export const PRETTY_JSON: Representation = { ...PLAIN_JSON, isPretty: true };

export interface NegotiationRules {
  /** Custom resources support protobuf only for metadata, though it is listed for them. */
  readonly allowsProtobuf: boolean;
  /** Whether a router is in front of the endpoint, which refuses with another message. */
  readonly hasRouter?: boolean;
  /** The types in the router's message; absent: the encodings. */
  readonly offered?: readonly string[];
  /** Whether Table and PartialObjectMetadata are allowed. */
  readonly allowsTransform: boolean;
  /** False: Table is not allowed. */
  readonly allowsTable?: boolean;
}

/** Throws a 406. */
export function negotiate(context: RequestContext, rules: NegotiationRules): Representation {
  const header = headerOf(context.request, "accept");
  const isPretty = wantsPretty(context.request, context.query);
  if (header === "" || header === "application/json" || header === "*/*") return isPretty ? PRETTY_JSON : PLAIN_JSON;
  const clauses = parseAccept(header);
  if (rules.hasRouter !== false && !clauses.some(isRoutable(ACCEPTED_TYPES))) {
    context.warnings.headers.length = 0; // the endpoint that would warn is not called
    throw notAcceptableRoute(rules.offered);
  }
  for (const encodings of [["json", "yaml"], ["protobuf"]] as const) {
    for (const clause of clauses) {
      for (const encoding of encodings) {
        if (!covers(clause, MEDIA_TYPES[encoding])) continue;
        const shape = shapeOf(clause, encoding, rules, context.query);
        if (shape === undefined || (encoding === "protobuf" && !rules.allowsProtobuf && shape.kind !== "partial"))
          continue;
        return { encoding, isPretty: isPretty || clause.params.get("pretty") === "1", shape };
      }
    }
  }
  const isListed = rules.allowsProtobuf || rules.hasRouter === false;
  throw newNotAcceptable(ACCEPTED_TYPES.filter((type) => isListed || type !== MEDIA_TYPES.protobuf));
}

/** Errors are never transformed, and an unacceptable Accept header does not hide them. */
export function representationOfError(request: ServerRequest, query: Query): Representation {
  const isPretty = wantsPretty(request, query);
  const clauses = parseAccept(headerOf(request, "accept"));
  for (const clause of clauses) {
    if (clause.params.has("as") || clause.params.has("g") || clause.params.has("v")) continue;
    if (covers(clause, MEDIA_TYPES.json))
      return isPretty || clause.params.get("pretty") === "1" ? PRETTY_JSON : PLAIN_JSON;
    if (covers(clause, MEDIA_TYPES.yaml)) return { ...PLAIN_JSON, encoding: "yaml" };
  }
  const isProtobuf = ({ type, subtype, params }: AcceptClause): boolean =>
    `${type}/${subtype}` === MEDIA_TYPES.protobuf && !params.has("as");
  if (clauses.some(isProtobuf)) return { ...PLAIN_JSON, encoding: "protobuf" };
  return headerOf(request, "accept") === "" && !isPretty ? PLAIN_JSON : PRETTY_JSON;
}

/** The router knows whole types and the full wildcard, but no wildcard subtypes. */
const isRoutable =
  (produced: readonly string[]) =>
  ({ type, subtype }: AcceptClause): boolean =>
    produced.includes(`${type}/${subtype}`) || (type === "*" && subtype === "*");

/** For a route with a single type. */
export function checkRoute(request: ServerRequest, produced: string): void {
  const accept = headerOf(request, "accept");
  if (accept !== "" && !parseAccept(accept).some(isRoutable([produced]))) throw notAcceptableRoute([produced]);
}

function covers(clause: AcceptClause, mediaType: string): boolean {
  if (clause.type === "*") return clause.subtype === "*";
  const [type, subtype] = mediaType.split("/");
  return clause.type === type && (clause.subtype === "*" || clause.subtype === subtype);
}

/** Undefined: the endpoint does not support the clause. */
function shapeOf(clause: AcceptClause, encoding: Encoding, rules: NegotiationRules, query: Query): Shape | undefined {
  const { params } = clause;
  const stream = params.get("stream");
  if (stream !== undefined && stream !== "" && (stream !== "watch" || encoding === "yaml")) return undefined;
  const as = params.get("as") ?? "";
  const metaVersion = params.get("v") ?? "";
  if (as === "" && metaVersion === "" && !params.has("g")) return WHOLE;
  const isMeta = params.get("g") === "meta.k8s.io" && (metaVersion === "v1" || metaVersion === "v1beta1");
  if (!isMeta || !rules.allowsTransform) return undefined;
  if (as === "PartialObjectMetadata") return { kind: "partial", isList: false, metaVersion };
  if (as === "PartialObjectMetadataList") return { kind: "partial", isList: true, metaVersion };
  if (as !== "Table" || encoding === "protobuf" || rules.allowsTable === false) return undefined;
  return { kind: "table", metaVersion, includeObject: includeObjectOf(query) };
}

function includeObjectOf(query: Query): "None" | "Metadata" | "Object" {
  const value = query.text("includeObject");
  if (value === "") return "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  const detail = "must be 'Metadata', 'Object', 'None', or empty";
  const error = field.errorText(field.invalid(field.newPath("includeObject"), value, detail));
  throw newBadRequest(`Unable to convert to Table as requested: ${error}`);
}

function wantsPretty(request: ServerRequest, query: Query): boolean {
  const pretty = query.text("pretty");
  if (pretty !== "") return ["1", "t", "T", "TRUE", "true", "True"].includes(pretty);
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headerOf(request, "user-agent"));
}

/** The router's refusal, before the endpoint is called. */
function notAcceptableRoute(produced: readonly string[] = ACCEPTED_TYPES): Error {
  const serverMessage = `406: Not Acceptable\n\nAvailable representations: ${produced.join(", ")}`;
  return newGenericServerResponse({ code: 406, verb: "", serverMessage });
}
