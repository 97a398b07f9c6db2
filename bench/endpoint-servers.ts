// The API servers on which bench/endpoint-calls.ts counts: a real one, or the embedded one, which is cheap enough for
// the full size on a busy machine. Go's manager and ours use both over HTTPS with their own credentials.

import { ServiceCIDRs } from "#api/generated/resources/networking-v1.ts";
import type { AuditEvent as ServerEvent } from "#apiserver/filters/audit.ts";
import { directTransport } from "#apiserver/in-process-transport.ts";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import type { ManagerOptions } from "#test/real/arguments.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import { startEmbeddedServer } from "#test/real/embedded-server.ts";
import { type Audited, adminClient } from "./plane.ts";

export interface Server extends Audited {
  /** The administrator's client. */
  readonly client: Client;
  startManager(manager: "go" | "ours", options: ManagerOptions): Promise<RunningManager>;
  stop(): Promise<void>;
}

/** The default range has 254 addresses. */
const RANGE = "10.96.0.0/12";
const ourProgram = new URL("../src/cmd/kube-controller-manager.ts", import.meta.url).pathname;

export async function startServer(isEmbedded: boolean, signal: AbortSignal): Promise<Server> {
  const plane = await startControlPlane({ apiServerFlags: [`--service-cluster-ip-range=${RANGE}`] });
  const start = (manager: "go" | "ours", options: ManagerOptions): Promise<RunningManager> =>
    manager === "go" ? plane.startGoManager(options) : plane.startManager([process.execPath, ourProgram], options);
  if (!isEmbedded) {
    return { audit: plane.audit, client: await adminClient(plane), startManager: start, stop: () => plane.stop() };
  }
  // Of the real control plane only the keys are used.
  const events: AuditEvent[] = [];
  const embedded = await startEmbeddedServer(plane.pki, {
    audit: { record: (event) => events.push(countedOf(event)) },
  });
  const peer = { user: { name: "admin", groups: ["system:masters"] } };
  const transport = directTransport(embedded.server, { peer });
  const client = createClient({ transport, clock: systemClock, userAgent: "bench" });
  await addRange(client, signal);
  return {
    audit: { mark: () => events.length, since: (mark = 0) => events.slice(mark) },
    client,
    startManager(manager, { flags = [], ...options }) {
      const kubeconfig = plane.kubeconfigFor({ user: "system:kube-controller-manager" }, embedded.url);
      const reached = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"];
      return start(manager, { ...options, flags: [...flags, ...reached.map((flag) => `--${flag}=${kubeconfig}`)] });
    },
    async stop() {
      await plane.stop();
      await embedded.close();
    },
  };
}

/** The counted parts of a request, without bodies. */
function countedOf({ id, info, user, response, receivedMs, answeredMs }: ServerEvent): AuditEvent {
  const { resource, subresource, name } = info.isResourceRequest ? info : { resource: "", subresource: "", name: "" };
  return {
    auditID: id,
    stage: info.verb === "watch" ? "ResponseStarted" : "ResponseComplete",
    verb: info.verb,
    requestURI: "",
    user: { username: user.name },
    objectRef: { resource, name, ...(subresource === "" ? {} : { subresource }) },
    responseStatus: { code: response.status },
    requestReceivedTimestamp: new Date(receivedMs).toISOString(),
    stageTimestamp: new Date(answeredMs).toISOString(),
  };
}

/** The controller that marks the range as ready does not run. */
async function addRange(client: Client, signal: AbortSignal): Promise<void> {
  const cidrs = client.resource(ServiceCIDRs);
  const created = await cidrs.create({ object: { metadata: { name: "more" }, spec: { cidrs: [RANGE] } } }, signal);
  const ready = { type: "Ready", status: "True", reason: "", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
  await cidrs.updateStatus({ object: { ...created, status: { conditions: [ready] } } }, signal);
}
