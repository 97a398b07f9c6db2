// An operator that knows a kubeconfig and nothing of the testing library: every ConfigMap with the label "app" gets a
// Deployment of that image. A real operator would use its usual client library here.

import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";

interface Config {
  readonly clusters: readonly [{ cluster: { server: string; "certificate-authority-data": string } }];
  readonly users: readonly [{ user: { "client-certificate-data": string; "client-key-data": string } }];
}

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly data?: Readonly<Record<string, string>>;
}

export class Operator {
  readonly #server: string;
  readonly #agent: Agent;

  constructor(kubeconfig: string) {
    const config = JSON.parse(readFileSync(kubeconfig, "utf8")) as Config;
    const pem = (base64: string): Buffer => Buffer.from(base64, "base64");
    const [{ cluster }] = config.clusters;
    const [{ user }] = config.users;
    this.#server = cluster.server;
    this.#agent = new Agent({
      keepAlive: true,
      ca: pem(cluster["certificate-authority-data"]),
      cert: pem(user["client-certificate-data"]),
      key: pem(user["client-key-data"]),
    });
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const path = "/api/v1/configmaps?watch=true&labelSelector=app";
    let rest = "";
    await this.#send("GET", path, undefined, signal, async (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const { type, object } = JSON.parse(line) as { type: string; object: ConfigMap };
        if (type !== "DELETED") await this.#roll(object);
      }
    });
  }

  async #roll({ metadata: { name, namespace, labels }, data }: ConfigMap): Promise<void> {
    const selected = { app: name };
    const containers = [{ name: "app", image: labels.app }];
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name },
      spec: {
        replicas: Number(data?.replicas ?? 1),
        selector: { matchLabels: selected },
        template: { metadata: { labels: selected }, spec: { containers } },
      },
    };
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}?fieldManager=operator&force=true`;
    await this.#send("PATCH", path, deployment, undefined, async () => undefined);
  }

  #send(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal | undefined,
    onChunk: (chunk: string) => Promise<void>,
  ): Promise<void> {
    const headers = body === undefined ? {} : { "content-type": "application/apply-patch+yaml" };
    return new Promise((resolve, reject) => {
      const end = (error: unknown): void => (signal?.aborted ? resolve() : reject(error));
      const sent = request(`${this.#server}${path}`, { method, agent: this.#agent, headers, signal }, (answer) => {
        answer.setEncoding("utf8").on("data", (chunk: string) => void onChunk(chunk).catch(end));
        answer.on("error", end).on("end", () => {
          if ((answer.statusCode ?? 500) < 400) resolve();
          else reject(new Error(`${method} ${path}: ${answer.statusCode}`));
        });
      });
      sent.on("error", end).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
