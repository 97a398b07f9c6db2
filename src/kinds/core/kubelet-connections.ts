// Subresources that a kubelet or container would serve: logs, exec, port-forward, proxy. Requests are checked as
// upstream does before it contacts the kubelet.
// Upstream: pkg/registry/core/pod/strategy.go, LogLocation and its siblings; pkg/kubelet/client
//
// Deviation: without kubelets the answer is a 501. With simulated kubelets, only logs are served.

import * as field from "#api/field-error.ts";
import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import { type ApiError, bareFailure, newBadRequest, newInvalid, newNotFound } from "#api/status-error.ts";
import { parseTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { HttpResponse } from "#base/http.ts";
import type { Connected, KindCall, KindServer, QueryReader } from "#kinds/hooks.ts";
import { parseSloppyIp } from "#rules/ip.ts";
import type { LogRequest } from "#rules/kubelets.ts";

const NO_CONTENT: HttpResponse = {
  status: 204,
  headers: { "cache-control": "no-cache, private" },
  body: { kind: "bytes", bytes: new Uint8Array(0) },
};

/** A pod that is not scheduled yet has an empty log. */
export const readLog =
  (server: KindServer): Connected =>
  async (call, signal) => {
    const errors = validateLogOptions(call);
    if (errors.length > 0) throw newInvalid({ group: "", kind: "PodLogOptions" }, call.name, errors);
    const pod = podOf(server, call);
    checkContainer(pod, call);
    if (!pod.spec?.nodeName) return NO_CONTENT;
    const refusal = beyondKubelet(server, call, pod.spec.nodeName);
    if (server.kubelets === undefined || refusal.code !== NOT_AVAILABLE) throw refusal;
    return server.kubelets.readLog(logRequest(server, call, pod), signal);
  };

/** exec and attach. */
export const streamToContainer =
  (server: KindServer): Connected =>
  async (call) => {
    const pod = podOf(server, call);
    checkContainer(pod, call);
    throw beyondPod(server, call, pod);
  };

export const forwardPorts =
  (server: KindServer): Connected =>
  async (call) => {
    throw beyondPod(server, call, podOf(server, call));
  };

/** The name may contain a scheme and a port: "https:name:443". */
export const proxyToPod =
  (server: KindServer): Connected =>
  async (call) => {
    const pod = server.objects("pods").find(call.namespace, targetOf(call, "pod")).object as Pod;
    const address = pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP ?? "";
    if (!isReachable(address)) throw newBadRequest("address not allowed");
    throw notConnected(server, call);
  };

export const proxyToNode =
  (server: KindServer): Connected =>
  async (call) => {
    const node = server.objects("nodes").find("", targetOf(call, "node")).object as Node;
    const address = kubeletAddressOf(node);
    // A host name is not resolved, so it is allowed.
    const isAllowed = address === undefined || parseSloppyIp(address) === undefined || isReachable(address);
    if (!isAllowed) throw newBadRequest("address not allowed");
    throw beyondNode(server, call, node);
  };

export const proxyToService =
  (server: KindServer): Connected =>
  async (call) => {
    server.objects("services").find(call.namespace, targetOf(call, "service"));
    throw notConnected(server, call);
  };

/** The object's name in a proxied name. */
function targetOf({ name }: KindCall, kind: string): string {
  const parts = name.split(":");
  if (parts.length === 1) return name;
  const [first = "", second = "", third = ""] = parts;
  const isSchemed = parts.length === 3;
  const isValid = isSchemed ? ["", "http", "https"].includes(first) && second !== "" : parts.length === 2;
  if (!isValid || (isSchemed && third.includes("/"))) {
    throw newBadRequest(`invalid ${kind} request "${name}"`);
  }
  return isSchemed ? second : first;
}

const podOf = (server: KindServer, { namespace, name }: KindCall): Pod =>
  server.objects("pods").find(namespace, name).object as Pod;

/** Go's text for an empty path. */
const NO_PATH = "[]";

function validateLogOptions({ query }: KindCall): field.FieldError[] {
  const errors: field.FieldError[] = [];
  const tailLines = query.optionalInteger("tailLines");
  const limitBytes = query.optionalInteger("limitBytes");
  const sinceSeconds = query.optionalInteger("sinceSeconds");
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(field.invalid(field.newPath("tailLines"), tailLines, "must be greater than or equal to 0"));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(field.invalid(field.newPath("limitBytes"), limitBytes, "must be greater than 0"));
  }
  if (sinceSeconds !== undefined && query.text("sinceTime") !== "") {
    errors.push(
      field.forbidden(field.newPath(NO_PATH), "at most one of `sinceTime` or `sinceSeconds` may be specified"),
    );
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(field.invalid(field.newPath("sinceSeconds"), sinceSeconds, "must be greater than 0"));
  }
  if (query.all("stream").length > 0) errors.push(field.forbidden(field.newPath("stream"), "may not be specified"));
  return errors;
}

function logRequest(server: KindServer, { namespace, name, query, now }: KindCall, pod: Pod): LogRequest {
  const pods = server.objects("pods");
  const uid = pod.metadata?.uid;
  const tailLines = query.optionalInteger("tailLines");
  const limitBytes = query.optionalInteger("limitBytes");
  const sinceSeconds = query.optionalInteger("sinceSeconds");
  const sinceTime = query.text("sinceTime");
  const sinceMs = sinceSeconds === undefined ? timeOf(sinceTime) : now - sinceSeconds * 1000;
  return {
    pod: () => {
      const current = pods.get(namespace, name)?.object;
      return current?.metadata?.uid === uid ? (current as Pod) : undefined;
    },
    podName: name,
    container: query.text("container") || (pod.spec?.containers[0]?.name ?? ""),
    isPrevious: isSet(query, "previous"),
    follows: isSet(query, "follow"),
    hasTimestamps: isSet(query, "timestamps"),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}

function timeOf(text: string): EpochMs | undefined {
  if (text === "") return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    throw newBadRequest(errorMessage(error));
  }
}

/** As upstream parses a flag: present means true, except "false" and "0". */
function isSet(query: QueryReader, name: string): boolean {
  const [value] = query.all(name);
  return value !== undefined && !["false", "0"].includes(value.toLowerCase());
}

function checkContainer(pod: Pod, { query, name }: KindCall): void {
  const wanted = query.text("container");
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const names = [...initContainers, ...containers, ...ephemeralContainers].map((each) => each.name);
  if (wanted !== "") {
    if (!names.includes(wanted)) throw newBadRequest(`container ${wanted} is not valid for pod ${name}`);
  } else if (containers.length !== 1) {
    throw newBadRequest(`a container name must be specified for pod ${name}, choose one of: [${names.join(" ")}]`);
  }
}

function beyondPod(server: KindServer, call: KindCall, { spec }: Pod): ApiError {
  if (!spec?.nodeName) return newBadRequest(`pod ${call.name} does not have a host assigned`);
  return beyondKubelet(server, call, spec.nodeName);
}

/** As upstream, a missing node is reported under the requested resource. */
function beyondKubelet(server: KindServer, call: KindCall, nodeName: string): ApiError {
  const node = server.objects("nodes").get("", nodeName)?.object as Node | undefined;
  if (node === undefined) return newNotFound(call.groupResource, nodeName);
  return beyondNode(server, call, node);
}

function beyondNode(server: KindServer, call: KindCall, node: Node): ApiError {
  if (kubeletAddressOf(node) !== undefined) return notConnected(server, call);
  const known = (node.status?.addresses ?? []).map(({ type, address }) => `{${type} ${address}}`);
  return bareFailure(500, "", `no preferred addresses found; known addresses: [${known.join(" ")}]`);
}

/** Upstream: the default of --kubelet-preferred-address-types. */
const ADDRESS_TYPES = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

function kubeletAddressOf({ status }: Node): string | undefined {
  return ADDRESS_TYPES.flatMap((wanted) => (status?.addresses ?? []).filter(({ type }) => type === wanted))[0]?.address;
}

const NOT_AVAILABLE = 501;

function notConnected({ kubelets }: KindServer, { groupResource, name, subresource }: KindCall): ApiError {
  const what = `${groupResource.resource} "${name}": ${subresource} is not available`;
  const why = kubelets?.refusal ?? "this API server has no connection to kubelets and containers";
  return bareFailure(NOT_AVAILABLE, "", `${what}, because ${why}`);
}

/** False for unspecified, broadcast, loopback, link-local and multicast addresses. */
function isReachable(text: string): boolean {
  const ip = parseSloppyIp(text);
  if (ip === undefined) return false;
  const [first = 0, second = 0, ...rest] = ip.bytes;
  if (ip.family === 4) {
    const isBounds = [0, 255].includes(first) && [second, ...rest].every((byte) => byte === first);
    return !isBounds && first !== 127 && !(first === 169 && second === 254) && (first < 224 || first > 239);
  }
  const isSelf = [first, second, ...rest].slice(0, 15).every((byte) => byte === 0) && (rest.at(-1) ?? 0) <= 1;
  return !isSelf && first !== 0xff && !(first === 0xfe && (second & 0xc0) === 0x80);
}
