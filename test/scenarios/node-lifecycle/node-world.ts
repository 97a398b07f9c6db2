// One node controller on the embedded server, with a network that a test can make fail.

import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { NodeSpec, Taint } from "#api/generated/types/core-v1.ts";
import { formatMicroTime, formatTime } from "#api/time.ts";
import type { ControllerName } from "#kit/known-controllers.ts";
import { NAMESPACE, type WireManagerOptions, WireStage } from "#test/stage/wire-stage.ts";

export class NodeWorld extends WireStage {
  static async notStarted(name: ControllerName, seed: string): Promise<NodeWorld> {
    return await new NodeWorld({ controllers: [name], seed: `${name} ${seed}` }).opened();
  }

  static async open(name: ControllerName, seed: string, options?: WireManagerOptions): Promise<NodeWorld> {
    const world = await NodeWorld.notStarted(name, seed);
    return await world.started(options);
  }

  async node(name: string, spec: NodeSpec = {}, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.of(Nodes).create({ metadata: { name, labels }, spec });
  }

  async taint(name: string, ...taints: readonly Taint[]): Promise<void> {
    await this.patchNode(name, { spec: { taints } });
  }

  patchNode(name: string, patch: object, subresource = ""): Promise<unknown> {
    return this.of(Nodes).patch(name, patch, subresource === "" ? {} : { subresource });
  }

  async postReady(name: string, status = "True"): Promise<void> {
    const now = formatTime(this.world.clock.now());
    const condition = { type: "Ready", status, lastHeartbeatTime: now, lastTransitionTime: now };
    await this.patchNode(name, { status: { conditions: [condition] } }, "status");
  }

  async lease(name: string): Promise<void> {
    const renewTime = formatMicroTime(this.world.clock.now());
    await this.of(Leases, "kube-node-lease").create({ metadata: { name }, spec: { renewTime } });
  }

  /** Creates a pod on the node. */
  async pod(name: string, nodeName: string): Promise<void> {
    const spec = { nodeName, containers: [{ name: "main", image: "example/web:1" }] };
    await this.of(Pods).create({ metadata: { name, namespace: NAMESPACE }, spec });
  }

  async ready(name: string): Promise<string | undefined> {
    const node = await this.of(Nodes).find(name);
    return node?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
  }
}
