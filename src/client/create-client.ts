// Builds a Client over a Transport. Clock, rate limiter and metrics are passed in, so two clients share only the parts
// that both receive.

import { lazy } from "#api/lazy.ts";
import type { KubeObject } from "#api/object.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import { stringifyJson } from "#base/json.ts";
import type { Client, MetadataClient, RawRequest, RawResponse, ResourceClient } from "#client/client.ts";
import { encodeText } from "#client/codec.ts";
import { createMetadataClient } from "#client/metadata-client.ts";
import { Requester, type RequesterOptions } from "#client/request.ts";
import { createResourceClient } from "#client/resource-client.ts";

export interface ClientOptions extends RequesterOptions {}

export function createClient(options: ClientOptions): Client {
  const requester = new Requester(options);
  return {
    resource<T extends KubeObject>(resource: Resource<T>): ResourceClient<T> {
      return createResourceClient(requester, resource);
    },
    metadata<T extends StoredObject>(resource: Resource<T>): MetadataClient<T> {
      return createMetadataClient(requester, resource);
    },
    async raw(request: RawRequest, signal: AbortSignal): Promise<RawResponse> {
      const answer = await requester.send(
        {
          verb: "raw",
          method: request.method,
          path: request.path,
          query: request.query ?? "",
          accept: request.accept ?? "application/json, */*",
          ...(request.contentType !== undefined && { contentType: request.contentType }),
          ...(request.body && { body: { kind: "bytes", bytes: request.body } }),
        },
        signal,
      );
      const { status, contentType, headers, body } = answer;
      if ("bytes" in body) return { status, contentType, headers, bytes: body.bytes };
      const { value } = body;
      const bytes = lazy(() => encodeText(stringifyJson(value)));
      return {
        status,
        contentType,
        headers,
        value,
        get bytes() {
          return bytes();
        },
      };
    },
  };
}
