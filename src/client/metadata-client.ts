// Metadata-only clients: the server is asked for PartialObjectMetadata. One that does not know that
// form sends whole objects, which are cut down here; a watch has no such way out.
// Upstream: client-go/metadata/metadata.go

import type { ObjectMeta } from "#api/meta.ts";
import type { GroupVersionResource, KubeList, KubeObject, WatchEvent } from "#api/object.ts";
import type { PartialObjectMetadata, StoredMeta } from "#api/resource.ts";
import type { MetadataClient, Watch } from "#client/client.ts";
import { JSON_TYPE, PROTOBUF_TYPE } from "#client/codec.ts";
import { DecodeError } from "#client/errors.ts";
import type { Requester } from "#client/request.ts";
import { createResourceClient, ResourceCalls } from "#client/resource-client.ts";

function acceptFor(kind: string, withProtobuf: boolean): string {
  const as = `as=${kind};g=meta.k8s.io;v=v1`;
  const json = `${JSON_TYPE};${as},${JSON_TYPE}`;
  return withProtobuf ? `${PROTOBUF_TYPE};${as},${json}` : json;
}

export function createMetadataClient(requester: Requester, gvr: GroupVersionResource): MetadataClient {
  const withProtobuf = requester.protobuf !== undefined;
  const single = createResourceClient<PartialObjectMetadata>(
    new ResourceCalls(requester, gvr, acceptFor("PartialObjectMetadata", withProtobuf)),
  );
  const many = createResourceClient<PartialObjectMetadata>(
    new ResourceCalls(requester, gvr, acceptFor("PartialObjectMetadataList", withProtobuf)),
  );
  return {
    resource: gvr,
    get: async (request, signal) => partial(await single.get(request, signal)),
    list: async (request, signal) => partialList(await many.list(request, signal)),
    watch: async (request, signal) => strict(await single.watch(request, signal)),
    patch: async (request, signal) => partial(await single.patch(request, signal)),
    delete: (request, signal) => single.delete(request, signal),
    deleteCollection: (request, signal) => single.deleteCollection(request, signal),
  };
}

function partial(object: KubeObject): PartialObjectMetadata {
  if (object.kind === "PartialObjectMetadata" && object.metadata) return object as PartialObjectMetadata;
  const { metadata } = object;
  if (!metadata || !isLikelyMetadata(metadata)) {
    throw new DecodeError("object does not appear to match the ObjectMeta schema");
  }
  return { metadata: metadata as StoredMeta };
}

function isLikelyMetadata(metadata: ObjectMeta): boolean {
  return Boolean(metadata.uid || metadata.creationTimestamp || metadata.name || metadata.generateName);
}

function partialList(list: KubeList<PartialObjectMetadata>): KubeList<PartialObjectMetadata> {
  if (list.kind === "PartialObjectMetadataList") return list;
  const items = (list.items ?? []).map(({ metadata }) => ({ metadata }));
  return list.metadata ? { metadata: list.metadata, items } : { items };
}

function strict(watch: Watch<PartialObjectMetadata>): Watch<PartialObjectMetadata> {
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
