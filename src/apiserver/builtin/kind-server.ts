// The KindServer for the hooks of kinds: a narrow view of the core and of one request.

import type { DeleteOptions } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import { withResourceVersion } from "#api/object-meta.ts";
import { type ApiError, newNotFound } from "#api/status-error.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Rng } from "#base/rng.ts";
import type {
  AccessQuestion,
  Deletion,
  KindCall,
  KindServer,
  PostedCall,
  StoredObject,
  StoredObjects,
  TokenIssuer,
} from "#kinds/hooks.ts";
import { checkName } from "../addressed-object.ts";
import { internalCall } from "../admission/internal-call.ts";
import { keyOf, type ResourceCall, type ServerCore } from "../core.ts";
import { withGroupOfAuthenticated } from "../filters/authenticate.ts";
import { recordUpdate } from "../managed-fields.ts";
import type { KindRow } from "../registry.ts";
import { addWarning } from "../request-context.ts";
import type { RequestInfo } from "../request-info.ts";
import type { StoredVersion } from "../storage/storage.ts";
import { type AccountTokens, accountClaims } from "../tokens/account-tokens.ts";
import { isAuthenticated } from "../tokens/token-authentication.ts";
import { admitDeletion, deleteObject, write } from "../write/delete-object.ts";
import { createOwn, deleteOwn, rowNamed } from "../write/own-objects.ts";
import { preconditionFailed } from "../write/storage-errors.ts";

interface Parts {
  /** A function, because the core is created after the hooks. */
  core(): ServerCore;
  readonly clock: KindServer["clock"];
  readonly gates: KindServer["gates"];
  readonly rng: Rng;
  readonly accountTokens: AccountTokens | undefined;
  readonly components: KindServer["components"];
  readonly kubelets: KindServer["kubelets"];
}

export function kindServer({ core, clock, gates, rng, accountTokens, components, kubelets }: Parts): KindServer {
  return {
    components,
    kubelets,
    clock,
    gates,
    rng: (use) => rng.fork(use),
    tokenIssuer: accountTokens && issuerOf(accountTokens, rng.fork("tokens")),
    objects: (key) => new ObjectsOfKind(core, key),
    async authenticateToken(token, audiences, call, signal) {
      const asked = audiences.length > 0 ? audiences : [core().audience];
      const question = { audiences: asked, addWarning: (text: string) => call.addWarning(text) };
      const answer = await core().authenticateToken(token, question, signal);
      return isAuthenticated(answer) ? { ...answer, user: withGroupOfAuthenticated(answer.user) } : answer;
    },
    authorize: async (user, question, signal) => core().authorizer.authorize({ user, info: infoOf(question) }, signal),
    resourceOf: ({ group, version, kind }) =>
      core()
        .registry.endpointsOf(group, version)
        .find((endpoint) => endpoint.version.kind === kind)?.row.resource,
    heldRules: (user, namespace) => core().roleRules.held(user, namespace),
    rulesFor: (user, namespace) => core().authorizer.rulesFor?.(user, namespace),
  };
}

function issuerOf({ issuer, audiences, keys }: AccountTokens, rng: Rng): TokenIssuer {
  return {
    audiences,
    issue: (content) => keys.sign(accountClaims({ ...content, issuer, tokenId: rng.uuid() })),
  };
}

function infoOf(question: AccessQuestion): RequestInfo {
  if ("path" in question) return { isResourceRequest: false, ...question };
  return { isResourceRequest: true, path: "", ...question, segments: [], isWatchPath: false };
}

class ObjectsOfKind implements StoredObjects {
  readonly #core: () => ServerCore;
  readonly #key: string;

  constructor(core: () => ServerCore, key: string) {
    this.#core = core;
    this.#key = key;
  }

  get(namespace: string, name: string): StoredVersion | undefined {
    const row = this.#row();
    return (
      row &&
      this.#core()
        .tableOf(row)
        .get(keyOf(row, namespace, name))
    );
  }

  find(namespace: string, name: string): StoredVersion {
    const stored = this.get(namespace, name);
    if (stored !== undefined) return stored;
    checkName(name);
    const [resource = "", ...group] = this.#key.split(".");
    throw newNotFound({ group: group.join("."), resource }, name);
  }

  list(namespace?: string): Iterable<StoredVersion> {
    const row = this.#row();
    return row === undefined
      ? []
      : this.#core()
          .tableOf(row)
          .scan({ prefix: namespace === undefined ? "" : `${namespace}/` });
  }

  update(existing: StoredObject, object: KubeObject): StoredVersion | undefined {
    const row = this.#row();
    return (
      row &&
      this.#core()
        .tableOf(row)
        .update(existing as StoredVersion, (revision) => withResourceVersion(object, revision))
    );
  }

  updateAsServer(
    existing: StoredObject,
    object: KubeObject,
    subresource: string,
    now: EpochMs,
  ): StoredVersion | undefined {
    const row = this.#row();
    if (row === undefined) return undefined;
    const core = this.#core();
    const { namespace = "", name = "" } = existing.object.metadata ?? {};
    const call = internalCall(core, row, { namespace, name, subresource, now });
    return this.update(existing, recordUpdate(core, call, existing.object, object, "kube-apiserver"));
  }

  createAsServer(given: KubeObject, more?: (object: KubeObject) => KubeObject): StoredVersion | undefined {
    return createOwn(this.#core(), this.#key, given, more);
  }

  deleteAsServer(namespace: string, name: string): void {
    const row = this.#row();
    if (row !== undefined) deleteOwn(this.#core(), this.#key, keyOf(row, namespace, name));
  }

  preconditionFailed(
    existing: StoredObject,
    property: "UID" | "ResourceVersion",
    values: readonly [wanted: string, actual: string],
    dryRun: boolean,
  ): ApiError {
    const { object, key } = existing as StoredVersion;
    const name = object.metadata?.name ?? "";
    const row = rowNamed(this.#core(), this.#key);
    const { endpoint } = internalCall(this.#core(), row, { namespace: "", name, subresource: "", now: 0 });
    return preconditionFailed({ endpoint, name }, key, property, values, dryRun);
  }

  #row(): KindRow | undefined {
    return this.#core().registry.row(this.#key);
  }
}

export function kindCall({ context, endpoint, info, namespace, name, subresource }: ResourceCall): KindCall {
  return {
    namespace,
    name,
    subresource,
    verb: info.verb,
    groupResource: endpoint.groupResource,
    user: context.user,
    get now() {
      return context.receivedMs;
    },
    query: context.query,
    addWarning: (text) => addWarning(context, text),
  };
}

export function postedCall(core: ServerCore, call: ResourceCall, dryRun: boolean): PostedCall {
  return Object.assign(kindCall(call), {
    dryRun,
    async deleteAddressed(options: DeleteOptions, signal: AbortSignal): Promise<void> {
      await deleteObject(core, call, options, signal);
    },
  });
}

export function deletionCall(
  core: ServerCore,
  call: ResourceCall,
  existing: StoredVersion,
  options: DeleteOptions,
): Deletion {
  return Object.assign(kindCall(call), {
    existing: existing.object,
    options,
    admit: (signal: AbortSignal) => admitDeletion(core, call, existing.object, options, signal),
    write: (object: KubeObject) => write(core, call, existing, object, options)?.object,
  });
}
