// How a client interprets an answer without a Status: the reason and text for the code.
// Upstream: k8s.io/apimachinery/pkg/api/errors, NewGenericServerResponse

import { goQuote } from "#api/go-text.ts";
import type { StatusReason } from "#api/meta.ts";
import { ApiError, type GroupResource, groupResourceText } from "#api/status-error.ts";

export interface ServerResponse {
  readonly code: number;
  /** The HTTP method. */
  readonly verb: string;
  readonly resource?: GroupResource;
  readonly name?: string;
  /** The server's text in place of a Status. */
  readonly serverMessage?: string;
  readonly retryAfterSeconds?: number;
  /** The body is not from the API. */
  readonly isUnexpected?: boolean;
}

interface Meaning {
  readonly reason: StatusReason;
  readonly message: string;
}

export function newGenericServerResponse(response: ServerResponse): ApiError {
  const { resource = { group: "", resource: "" }, name = "", serverMessage = "" } = response;
  const { reason, message } = meaningOf(response.code, response.verb, serverMessage);
  const isAboutResource = resource.group !== "" || resource.resource !== "";
  const subject = [response.verb.toLowerCase(), groupResourceText(resource), ...(name === "" ? [] : [name])].join(" ");
  const cause = { reason: "UnexpectedServerResponse", ...(serverMessage === "" ? {} : { message: serverMessage }) };
  return new ApiError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: isAboutResource ? `${message} (${subject})` : message,
    ...(reason === "" ? {} : { reason }),
    details: {
      ...(name === "" ? {} : { name }),
      ...(resource.group === "" ? {} : { group: resource.group }),
      ...(resource.resource === "" ? {} : { kind: resource.resource }),
      ...(response.isUnexpected ? { causes: [cause] } : {}),
      ...(response.retryAfterSeconds ? { retryAfterSeconds: response.retryAfterSeconds } : {}),
    },
    code: response.code,
  });
}

function meaningOf(code: number, verb: string, serverMessage: string): Meaning {
  if (code === 409) {
    return { reason: verb === "POST" ? "AlreadyExists" : "Conflict", message: "the server reported a conflict" };
  }
  if (code === 403) return { reason: "Forbidden", message: serverMessage };
  if (code === 415) return { reason: "UnsupportedMediaType", message: serverMessage };
  if (code === 406 && serverMessage !== "" && serverMessage !== "unknown") {
    return { reason: "NotAcceptable", message: serverMessage };
  }
  const meaning = MEANINGS[code];
  if (meaning !== undefined) return meaning;
  if (code < 500) {
    const message = `the server responded with the status code ${code} but did not return more information`;
    return { reason: "", message };
  }
  const message = `an error on the server (${goQuote(serverMessage)}) has prevented the request from succeeding`;
  return { reason: "InternalError", message };
}

const MEANINGS: Readonly<Record<number, Meaning>> = {
  400: { reason: "BadRequest", message: "the server rejected our request for an unknown reason" },
  401: { reason: "Unauthorized", message: "the server has asked for the client to provide credentials" },
  404: { reason: "NotFound", message: "the server could not find the requested resource" },
  405: { reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource" },
  406: {
    reason: "NotAcceptable",
    message: "the server was unable to respond with a content type that the client supports",
  },
  422: { reason: "Invalid", message: "the server rejected our request due to an error in our request" },
  429: {
    reason: "TooManyRequests",
    message: "the server has received too many requests and has asked us to try again later",
  },
  503: { reason: "ServiceUnavailable", message: "the server is currently unable to handle the request" },
  504: {
    reason: "Timeout",
    message: "the server was unable to return a response in the time allotted, but may still be processing the request",
  },
};
