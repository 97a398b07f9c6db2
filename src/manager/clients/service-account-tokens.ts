// Tokens for the controllers' service accounts in kube-system: requested on demand, renewed at 80 % of their lifetime.
// All clients of an account share one source.
// Upstream: k8s.io/controller-manager/pkg/clientbuilder/client_builder_dynamic.go.

import { Namespaces, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { TokenRequest } from "#api/generated/types/authentication-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { isAlreadyExists, isNotFound } from "#api/status-error.ts";
import { parseTime } from "#api/time.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import { noLog } from "#base/log.ts";
import { cachedTokenSource, type Token, type TokenSource } from "#client/bearer-token.ts";
import type { Client, ResourceClient } from "#client/client.ts";

const NAMESPACE = "kube-system";
const REQUESTED_LIFETIME_SECONDS = 3600;
/** A server whose clock is ahead may report a shorter lifetime; below this limit renewals would never stop. */
const LIFETIME_MS_MIN = 10 * 60_000;
const RENEW_AT_SHARE = 0.8;
const TRIES_MAX = 4;
const FIRST_RETRY_MS = 500;

export interface TokenOptions {
  readonly root: Client;
  readonly clock: Clock;
  readonly log?: Logger;
}

export class ServiceAccountTokens {
  readonly #accounts: ResourceClient<ObjectOf<typeof ServiceAccounts>>;
  readonly #namespaces: ResourceClient<ObjectOf<typeof Namespaces>>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #sources = new Map<string, TokenSource>();
  /** By account, the end of the last search for it. */
  readonly #searches = new Map<string, Promise<void>>();

  constructor({ root, clock, log = noLog }: TokenOptions) {
    this.#accounts = root.resource(ServiceAccounts);
    this.#namespaces = root.resource(Namespaces);
    this.#clock = clock;
    this.#log = log;
  }

  sourceFor(name: string): TokenSource {
    let source = this.#sources.get(name);
    if (source === undefined) {
      source = cachedTokenSource({
        clock: this.#clock,
        log: this.#log,
        fetch: (signal) => this.#fetch(name, signal),
      });
      this.#sources.set(name, source);
    }
    return source;
  }

  /**
   * Finds or creates the account, and its namespace before it. Controllers that share an account take turns, so that
   * only the first one creates it.
   */
  ensureAccount(name: string, signal: AbortSignal): Promise<void> {
    const earlier = this.#searches.get(name) ?? Promise.resolve();
    const search = earlier.then(() => this.#findOrCreate(name, signal));
    const ended = search.catch(() => undefined); // the caller handles it
    this.#searches.set(name, ended);
    return search;
  }

  async #findOrCreate(name: string, signal: AbortSignal): Promise<void> {
    const address = { namespace: NAMESPACE, name };
    try {
      await this.#accounts.get(address, signal);
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    await this.#ensureNamespace(signal);
    try {
      await this.#accounts.create({ object: { metadata: address } }, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** A failure is only logged: creating the account will fail with the better error. */
  async #ensureNamespace(signal: AbortSignal): Promise<void> {
    try {
      await this.#namespaces.get({ name: NAMESPACE }, signal);
      return;
    } catch (error) {
      if (!isNotFound(error)) return;
    }
    try {
      await this.#namespaces.create({ object: { metadata: { name: NAMESPACE } } }, signal);
    } catch (error) {
      if (!isAlreadyExists(error))
        this.#log.error(error, "create non-exist namespace failed", { namespace: NAMESPACE });
    }
  }

  async #fetch(name: string, signal: AbortSignal): Promise<Token> {
    for (let tries = 1, delayMs = FIRST_RETRY_MS; ; tries++, delayMs *= 2) {
      const askedAtMs = this.#clock.monotonicMs();
      try {
        await this.ensureAccount(name, signal);
        return this.#tokenOf(await this.#request(name, signal), askedAtMs);
      } catch (error) {
        if (signal.aborted || tries >= TRIES_MAX) throw error;
        this.#log.error(error, "error getting token, will retry", { serviceAccount: `${NAMESPACE}/${name}` });
      }
      await this.#clock.sleep(delayMs, signal);
    }
  }

  #request(name: string, signal: AbortSignal): Promise<TokenRequest> {
    const object: TokenRequest = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences: [], expirationSeconds: REQUESTED_LIFETIME_SECONDS },
    };
    return this.#accounts.createSubresource<TokenRequest>(
      { namespace: NAMESPACE, name, subresource: "token", object },
      signal,
    );
  }

  #tokenOf(answer: TokenRequest, askedAtMs: number): Token {
    const expires = answer.status?.expirationTimestamp;
    const lifetimeMs = Math.max(expires ? parseTime(expires) - this.#clock.now() : 0, LIFETIME_MS_MIN);
    return { value: answer.status?.token ?? "", refreshAtMs: askedAtMs + lifetimeMs * RENEW_AT_SHARE };
  }
}
