// Metadata-only clients ask the server for PartialObjectMetadata. If a server does not know that form and sends whole
// objects, the client reduces them here. A watch has no such fallback.
// Upstream: client-go/metadata/metadata.go

import type { ObjectMeta } from "#api/meta.ts";
import type { KubeList, KubeObject, WatchEvent } from "#api/object.ts";
import type { PartialObjectMetadata, Resource, StoredObject } from "#api/resource.ts";
import type { MetadataClient, ResourceClient, Watch } from "#client/client.ts";
import { JSON_TYPE, PROTOBUF_TYPE } from "#client/codec.ts";
import { DecodeError } from "#client/errors.ts";
import type { Requester } from "#client/request.ts";
import { createResourceClient } from "#client/resource-client.ts";

function acceptFor(kind: string, withProtobuf: boolean): string {
  const as = `as=${kind};g=meta.k8s.io;v=v1`;
  const json = `${JSON_TYPE};${as},${JSON_TYPE}`;
  return withProtobuf ? `${PROTOBUF_TYPE};${as},${json}` : json;
}

export function createMetadataClient<T extends StoredObject>(
  requester: Requester,
  resource: Resource<T>,
): MetadataClient<T> {
  const withProtobuf = requester.protobuf !== undefined;
  const clientFor = (kind: string): ResourceClient<PartialObjectMetadata<T>> =>
    createResourceClient<PartialObjectMetadata<T>>(requester, resource, acceptFor(kind, withProtobuf));
  const single = clientFor("PartialObjectMetadata");
  const many = clientFor("PartialObjectMetadataList");
  // A server sends the full answer to a delete even to metadata clients.
  const whole = createResourceClient<PartialObjectMetadata<T>>(requester, resource);
  return {
    resource,
    get: async (request, signal) => partial(await single.get(request, signal)),
    list: async (request, signal) => partialList(await many.list(request, signal)),
    watch: async (request, signal) => strict(await single.watch(request, signal)),
    patch: async (request, signal) => partial(await single.patch(request, signal)),
    delete: (request, signal) => whole.delete(request, signal),
    deleteCollection: (request, signal) => whole.deleteCollection(request, signal),
  };
}

/** The server may have sent the whole object, or one of another kind. */
function partial<P extends PartialObjectMetadata>(object: P): P {
  if (object.kind === "PartialObjectMetadata" && object.metadata) return object;
  const { metadata }: KubeObject = object;
  if (!metadata || !isLikelyMetadata(metadata)) {
    throw new DecodeError("object does not appear to match the ObjectMeta schema");
  }
  return { metadata } as P;
}

function isLikelyMetadata(metadata: ObjectMeta): boolean {
  return Boolean(metadata.uid || metadata.creationTimestamp || metadata.name || metadata.generateName);
}

function partialList<P extends PartialObjectMetadata>(list: KubeList<P>): KubeList<P> {
  // An empty list of metadata has null for its items.
  if (list.kind === "PartialObjectMetadataList") return list.items ? list : { ...list, items: [] };
  const items = (list.items ?? []).map(({ metadata }) => ({ metadata }) as P);
  return list.metadata ? { metadata: list.metadata, items } : { items };
}

function strict<P extends PartialObjectMetadata>(watch: Watch<P>): Watch<P> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const batch of watch) {
        batch.forEach(assertPartial);
        yield batch;
      }
    },
  };
}

function assertPartial({ type, object }: WatchEvent<PartialObjectMetadata>): void {
  if (type === "ERROR" || object.kind === "PartialObjectMetadata") return;
  throw new DecodeError(
    `unable to decode an event from the watch stream: expected PartialObjectMetadata but got ${object.kind}`,
  );
}
