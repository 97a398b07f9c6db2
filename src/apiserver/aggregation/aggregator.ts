// Aggregation: requests for the group of an APIService with a Service are forwarded to that server. Its availability is
// checked every half minute and after related changes, and recorded in the APIService's status.
// Upstream: kube-aggregator pkg/apiserver, pkg/controllers/status/remote

import type { APIService } from "#api/generated/types/apiregistration-v1.ts";
import type { Service } from "#api/generated/types/core-v1.ts";
import type { EndpointSlice } from "#api/generated/types/discovery-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { UserInfo } from "#api/user-info.ts";
import { errorMessage, isAborted } from "#base/errors.ts";
import { type HttpHeaders, type HttpResponse, type Transport, TransportError } from "#base/http.ts";
import type { Rng } from "#base/rng.ts";
import { type Availability, isAvailable, withAvailability } from "#kinds/apiregistration/availability-condition.ts";
import type { ServerCore } from "../core.ts";
import { collect } from "../decoding/request-body.ts";
import { plainText } from "../filters/errors.ts";
import { KeyedSync } from "../keyed-sync.ts";
import type { RequestContext } from "../request-context.ts";
import type { StoredVersion, Table } from "../storage/storage.ts";
import { rowNamed } from "../write/own-objects.ts";
import { type Backends, obviousFailure, referenceOf, resolve, type ServiceReference } from "./endpoint-resolution.ts";
import { API_SERVICES } from "./local-services.ts";
import { proxiedRequest, proxiedResponse, userHeaders } from "./proxied-request.ts";
import { DISCOVERY_ACCEPT, resourcesIn, resourcesOfList } from "./remote-discovery.ts";
import type { Connect, RemoteVersion } from "./remote-version.ts";

const RECHECK_MS = 30_000;
const RETRY_MS_MAX = 30_000;
const PROBE_MS = 5_000;
/** How many endpoints one check probes at most. */
const PROBES_MAX = 5;
const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;
const AGGREGATOR: UserInfo = { name: "system:kube-aggregator", groups: ["system:masters"] };
const PASSED: Availability = { status: "True", reason: "Passed", message: "all checks passed" };

type Known = Pick<RemoteVersion, "resources" | "openApiUrl">;

export function aggregate(core: ServerCore, connect: Connect): void {
  if (core.registry.row(API_SERVICES) !== undefined) new Aggregator(core, connect).start();
}

class Aggregator {
  readonly #core: ServerCore;
  readonly #connect: Connect;
  readonly #rng: Rng;
  readonly #services: Table;
  readonly #queue: KeyedSync;
  /** The last discovery data of each server, by APIService. */
  readonly #known = new Map<string, Known>();

  constructor(core: ServerCore, connect: Connect) {
    this.#core = core;
    this.#connect = connect;
    this.#rng = core.kindServer.rng("aggregation");
    this.#services = core.tableOf(rowNamed(core, API_SERVICES));
    this.#queue = new KeyedSync(core, {
      failure: "Aggregated API server failed",
      isParallel: true,
      retryMsMax: RETRY_MS_MAX,
      sync: (name) => this.#sync(name),
    });
  }

  start(): void {
    for (const { key } of this.#services.scan({ prefix: "" })) this.#follow(key);
    const ofService = (namespace: string, name: string): void => {
      for (const { key, object } of this.#services.scan({ prefix: "" })) {
        const reference = referenceOf(object as APIService);
        if (reference?.namespace === namespace && reference.name === name) this.#queue.add(key);
      }
    };
    const subscriptions = [
      this.#services.subscribe(({ key }) => this.#follow(key)),
      this.#table("services").subscribe(({ object }) =>
        ofService(object.metadata?.namespace ?? "", object.metadata?.name ?? ""),
      ),
      this.#table(SLICES).subscribe(({ object }) => ofService(object.metadata?.namespace ?? "", serviceOf(object))),
    ];
    const end = (): void => {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    };
    this.#core.closing.addEventListener("abort", end, { once: true });
  }

  /** Routes requests as the APIService specifies from now on. */
  #follow(name: string): void {
    const stored = this.#services.get(name)?.object as (APIService & KubeObject) | undefined;
    if (stored === undefined || referenceOf(stored) === undefined) {
      const dot = name.indexOf(".");
      this.#core.registry.removeRemote(name.slice(dot + 1), name.slice(0, dot));
      this.#known.delete(name);
      this.#queue.forget(name);
      return;
    }
    this.#show(name, stored);
    this.#queue.add(name);
  }

  #show(name: string, service: APIService): void {
    const { group = "", version = "", groupPriorityMinimum = 0, versionPriority = 0 } = service.spec ?? {};
    const known = this.#known.get(name);
    const isCurrent = isAvailable(service) && known !== undefined;
    this.#core.registry.setRemote({
      group,
      version,
      groupPriority: groupPriorityMinimum,
      versionPriority,
      resources: known?.resources ?? [],
      openApiUrl: known?.openApiUrl,
      isCurrent,
      forward: (context, signal) => this.#forward(name, context, signal),
    });
  }

  async #sync(name: string): Promise<void> {
    const stored = this.#services.get(name);
    const service = stored?.object as APIService | undefined;
    const reference = service && referenceOf(service);
    if (stored === undefined || service === undefined || reference === undefined) return;
    const failure = obviousFailure(reference, this.#backends(reference));
    const availability = failure ?? (await this.#probe(service, reference));
    if (availability.status === "True") await this.#learn(name, service, reference);
    if (!this.#write(name, stored, availability)) return;
    if (availability.reason === "FailedDiscoveryCheck") return this.#queue.addLater(name);
    this.#queue.forget(name);
    this.#queue.addAfter(name, RECHECK_MS);
  }

  /** False if the APIService changed meanwhile; it is then checked again. */
  #write(name: string, looked: StoredVersion, availability: Availability): boolean {
    const stored = this.#services.get(name);
    if (stored !== looked || stored === undefined) return false;
    const service = stored.object as APIService;
    const now = this.#core.clock.now();
    const next = withAvailability(service, availability, now);
    if (next === service) {
      this.#show(name, service);
      return true;
    }
    const objects = this.#core.kindServer.objects(API_SERVICES);
    // The write causes an event, which updates the registry and checks the server again.
    objects.updateAsServer(stored, next as KubeObject, "status", now);
    return true;
  }

  async #probe(service: APIService, reference: ServiceReference): Promise<Availability> {
    const addresses = resolve(reference, this.#backends(reference));
    const path = pathOf(service);
    const failures = await Promise.all(
      addresses.slice(0, PROBES_MAX).map(async (address) => {
        const url = `https://${address}${path}`;
        try {
          const { status } = await this.#get(this.#transport(service, reference, address), path, "application/json");
          return status >= 200 && status < 300 ? undefined : `bad status from ${url}: ${status}`;
        } catch (error) {
          if (isAborted(error, this.#core.closing)) throw error;
          return `Get ${JSON.stringify(url)}: ${errorMessage(error)}`;
        }
      }),
    );
    if (failures.some((failure) => failure === undefined)) return PASSED;
    const [address = ""] = addresses;
    const message =
      failures[0] === undefined
        ? `no endpoints available for service ${JSON.stringify(reference.name)}`
        : `failing or missing response from https://${address}${path}: ${failures[0]}`;
    return { status: "False", reason: "FailedDiscoveryCheck", message };
  }

  /** Fetches the server's discovery data, which is kept until the next fetch. */
  async #learn(name: string, service: APIService, reference: ServiceReference): Promise<void> {
    const [address] = resolve(reference, this.#backends(reference));
    const { group = "", version = "" } = service.spec ?? {};
    if (address === undefined) return;
    const transport = this.#transport(service, reference, address);
    try {
      const whole = await this.#get(transport, "/apis", DISCOVERY_ACCEPT);
      const resources =
        (whole.status === 200 ? resourcesIn(whole.document, group, version) : undefined) ??
        resourcesOfList((await this.#get(transport, pathOf(service), "application/json")).document, group, version);
      const index = await this.#get(transport, "/openapi/v3", "application/json");
      const { paths } = index.document as { paths?: Record<string, { serverRelativeURL?: string }> };
      const openApiUrl = index.status === 200 ? paths?.[`apis/${group}/${version}`]?.serverRelativeURL : undefined;
      this.#known.set(name, { resources, openApiUrl });
    } catch (error) {
      if (isAborted(error, this.#core.closing)) throw error;
      this.#core.log.error(error, "Discovery of an aggregated API server failed", { name });
    }
  }

  async #get(transport: Transport, path: string, accept: string): Promise<{ status: number; document: unknown }> {
    const limit = new AbortController();
    const { clock, closing } = this.#core;
    const end = (): void => limit.abort(closing.reason);
    const timer = clock.after(PROBE_MS, () => limit.abort(new TransportError("timeout", "no answer within 5 s")));
    closing.addEventListener("abort", end, { once: true });
    try {
      const headers: HttpHeaders = { accept, ...userHeaders(AGGREGATOR) };
      const request = { method: "GET", path, query: "", headers, whole: true };
      const { status, body } = await transport.send(request, limit.signal);
      return { status, document: documentIn(await bytesOf(body)) };
    } finally {
      timer[Symbol.dispose]();
      closing.removeEventListener("abort", end);
    }
  }

  async #forward(name: string, context: RequestContext, signal: AbortSignal): Promise<HttpResponse> {
    const service = this.#services.get(name)?.object as APIService | undefined;
    const reference = service && referenceOf(service);
    const unavailable = plainText(503, "service unavailable\n");
    if (service === undefined || reference === undefined || !isAvailable(service)) return unavailable;
    if (context.request.headers.upgrade !== undefined) {
      return plainText(501, "connections to aggregated API servers are not upgraded by this API server\n");
    }
    const addresses = resolve(reference, this.#backends(reference));
    const address = addresses.length > 1 ? addresses[this.#rng.below(addresses.length)] : addresses[0];
    if (address === undefined) return unavailable;
    try {
      const transport = this.#transport(service, reference, address);
      return proxiedResponse(await transport.send(proxiedRequest(context), signal));
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      return plainText(503, `error trying to reach service: ${errorMessage(error)}\n`);
    }
  }

  #transport({ spec }: APIService, { namespace, name }: ServiceReference, address: string): Transport {
    const { caBundle, insecureSkipTLSVerify = false } = spec ?? {};
    return this.#connect({
      address,
      serverName: `${name}.${namespace}.svc`,
      ...(caBundle && { ca: atob(caBundle) }),
      insecureSkipVerify: insecureSkipTLSVerify,
    });
  }

  #backends({ namespace, name }: ServiceReference): Backends {
    const service = this.#table("services").get(`${namespace}/${name}`)?.object as Service | undefined;
    const slices = [...this.#table(SLICES).scan({ prefix: `${namespace}/` })]
      .map(({ object }) => object)
      .filter((slice) => serviceOf(slice) === name);
    return { service, slices: slices as unknown as EndpointSlice[] };
  }

  #table(key: string): Table {
    return this.#core.tableOf(rowNamed(this.#core, key));
  }
}

const SLICES = "endpointslices.discovery.k8s.io";

const serviceOf = ({ metadata }: KubeObject): string => metadata?.labels?.["kubernetes.io/service-name"] ?? "";

function pathOf({ spec }: APIService): string {
  const { group = "", version = "" } = spec ?? {};
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

async function bytesOf(body: HttpResponse["body"]): Promise<Uint8Array> {
  if (body.kind === "bytes") return body.bytes;
  if (body.kind === "stream") return collect(body.chunks, DOCUMENT_BYTES_MAX);
  throw new TransportError("protocol", "an aggregated API server answers in bytes");
}

/** An empty object if the bytes are not JSON. */
function documentIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}
