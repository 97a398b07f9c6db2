// The identity Lease of an API server, and the removal of Leases of servers that are gone.
// Upstream: pkg/controlplane/apiserver/server.go; pkg/controlplane/controller/apiserverleasegc

import type { Lease } from "#api/generated/types/coordination-v1.ts";
import { withMeta } from "#api/object-meta.ts";
import { sha256Hex } from "#api/sha256.ts";
import { formatMicroTime, timeOrUndefined } from "#api/time.ts";
import type { ServerCore } from "../core.ts";
import { StorageWriteFailed } from "../storage/storage.ts";
import { createOwn, deleteOwn, rowNamed, updateOwn } from "../write/own-objects.ts";

const LEASES = "leases.coordination.k8s.io";
const NAMESPACE = "kube-system";
const COMPONENT = "kube-apiserver";
const COMPONENT_LABEL = "apiserver.kubernetes.io/identity";
const RENEW_MS = 10_000;
const DURATION_SECONDS = 3600;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** Renews the Lease until the server closes. */
export function keepIdentityLease(core: ServerCore, hostname: string): void {
  if (!core.gates.isEnabled("APIServerIdentity") || core.registry.row(LEASES) === undefined) return;
  const name = identityOf(hostname);
  const holder = `${name}_${core.rng.uids.uuid()}`;
  const renew = (): void => {
    try {
      removeExpired(core, name);
      renewLease(core, name, holder, hostname);
    } catch (error) {
      if (!(error instanceof StorageWriteFailed)) throw error;
      core.log.error(error, "Could not renew the Lease of the API server", { name });
    }
    timer = core.clock.after(RENEW_MS, renew);
  };
  let timer: Disposable | undefined;
  core.closing.addEventListener("abort", () => timer?.[Symbol.dispose](), { once: true });
  renew();
}

function renewLease(core: ServerCore, name: string, holderIdentity: string, hostname: string): void {
  const renewTime = formatMicroTime(core.clock.now());
  const metadata = {
    name,
    namespace: NAMESPACE,
    labels: { [COMPONENT_LABEL]: COMPONENT, "kubernetes.io/hostname": hostname },
    ...(core.gates.isEnabled("UnknownVersionInteroperabilityProxy") && {
      annotations: { "kubernetes.io/peer-advertise-address": core.serverAddress },
    }),
  };
  const spec = { holderIdentity, leaseDurationSeconds: DURATION_SECONDS, renewTime };
  const row = rowNamed(core, LEASES);
  const stored = core.tableOf(row).get(`${NAMESPACE}/${name}`);
  if (stored === undefined) {
    createOwn(core, LEASES, { metadata, spec } as Lease);
    return;
  }
  const { labels, annotations } = metadata;
  updateOwn(core, row, stored, {
    ...withMeta(stored.object as Lease, {
      labels: { ...stored.object.metadata?.labels, ...labels },
      annotations: { ...stored.object.metadata?.annotations, ...annotations },
    }),
    spec: { ...(stored.object as Lease).spec, ...spec },
  } as Lease);
}

function removeExpired(core: ServerCore, own: string): void {
  const now = core.clock.now();
  const isExpired = ({ metadata, spec }: Lease): boolean => {
    if (metadata?.name === own || metadata?.labels?.[COMPONENT_LABEL] !== COMPONENT) return false;
    const renewedMs = timeOrUndefined(spec?.renewTime);
    const seconds = spec?.leaseDurationSeconds;
    return renewedMs === undefined || seconds === undefined || renewedMs + seconds * 1000 < now;
  };
  const table = core.tableOf(rowNamed(core, LEASES));
  for (const { key, object } of [...table.scan({ prefix: `${NAMESPACE}/apiserver-` })]) {
    if (isExpired(object as Lease)) deleteOwn(core, LEASES, key);
  }
}

/** "apiserver-" and a hash of host and component, 26 characters. */
function identityOf(hostname: string): string {
  const parts = [hostname, COMPONENT].map((text) => `\0${String.fromCharCode(text.length)}${text}`);
  const half = sha256Hex(parts.join("")).slice(0, 32);
  const bits = [...half].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, "0")).join("");
  const digits = bits.match(/.{1,5}/g) ?? [];
  return `apiserver-${digits.map((digit) => BASE32[Number.parseInt(digit.padEnd(5, "0"), 2)]).join("")}`;
}
