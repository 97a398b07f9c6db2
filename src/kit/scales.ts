// The scale subresource of any resource. Servers use several versions of Scale; versions before autoscaling/v1 keep the
// selector in another field. Upstream: k8s.io/client-go/scale

import { selectorFromSet } from "#api/label-selector.ts";
import { apiVersionOf } from "#api/object.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import { type GroupResource, groupResourceText } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import type { Client, ObjectAddress } from "#client/client.ts";
import { createDiscovery } from "#client/discovery.ts";
import type { RestMapper } from "#client/rest-mapper.ts";

export interface Scale extends StoredObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly replicas?: number;
    /** Text; labels in versions before autoscaling/v1. */
    readonly selector?: string | Readonly<Record<string, string>>;
    /** The text in versions before autoscaling/v1. */
    readonly targetSelector?: string;
  };
}

/** The selector of the scaled pods, as text; empty when there is none. */
export function scaleSelector({ status = {} }: Scale): string {
  const { selector = "", targetSelector } = status;
  if (typeof selector === "string") return selector;
  return targetSelector || selectorFromSet(selector).toString();
}

const SUBRESOURCE = "scale";
const SCALE_VERSIONS = ["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2", "autoscaling/v1"];

export class Scales {
  readonly #client: Client;
  readonly #restMapper: Pick<RestMapper, "resourceFor">;

  constructor(client: Client, restMapper: Pick<RestMapper, "resourceFor">) {
    this.#client = client;
    this.#restMapper = restMapper;
  }

  async get(scaled: GroupResource, { namespace = "", name }: ObjectAddress, signal: AbortSignal): Promise<Scale> {
    const resource = await this.#preferred(scaled, signal);
    return this.#client.resource(resource).getSubresource({ namespace, name, subresource: SUBRESOURCE }, signal);
  }

  /** Sends the Scale in the version in which the server returned it. */
  async update(scaled: GroupResource, scale: Scale, signal: AbortSignal): Promise<Scale> {
    const resource = await this.#preferred(scaled, signal);
    const { namespace = "", name } = scale.metadata;
    const request = { namespace, name, subresource: SUBRESOURCE, object: scale };
    return this.#client.resource(resource).updateSubresource(request, signal);
  }

  /** Asks the server whether it serves the scale subresource of this resource. */
  async isServed(resource: Resource, signal: AbortSignal): Promise<boolean> {
    const { resources } = await createDiscovery(this.#client).resourcesOf(apiVersionOf(resource), signal);
    return resources.some(
      ({ name, kind, group = "", version = "" }) =>
        name === `${resource.resource}/${SUBRESOURCE}` &&
        kind === "Scale" &&
        SCALE_VERSIONS.includes(apiVersionOf({ group, version })),
    );
  }

  /** The scale subresource is requested in the group's preferred version. */
  async #preferred({ group, resource }: GroupResource, signal: AbortSignal): Promise<Resource> {
    try {
      return await this.#restMapper.resourceFor({ group, resource }, signal);
    } catch (error) {
      const text = groupResourceText({ group, resource });
      const why = `unable to get full preferred group-version-resource for ${text}: ${errorMessage(error)}`;
      throw new Error(`unable to get client for ${text}: ${why}`, { cause: error });
    }
  }
}
