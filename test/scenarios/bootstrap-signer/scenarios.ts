// The cluster-info ConfigMap carries a signature for each bootstrap token that may sign. A cluster has one such
// ConfigMap, so each scenario covers its whole life and plays alone.

import { createHmac } from "node:crypto";
import { expect } from "vitest";
import { ConfigMaps, Secrets } from "#api/generated/resources/core-v1.ts";
import type { ConfigMap } from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { type Scenario, type ScenarioText, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const KUBECONFIG = "apiVersion: v1\nkind: Config\nclusters: [] # für alle\n";
const SECRET = "0123456789abcdef";

const info = (stage: Stage) => stage.of(ConfigMaps, "kube-public");
const tokens = (stage: Stage) => stage.of(Secrets, "kube-system");

async function publish(stage: Stage, data: Record<string, string> = { kubeconfig: KUBECONFIG }): Promise<void> {
  await info(stage).create({ metadata: { name: "cluster-info" }, data });
}

interface Token {
  readonly name?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly type?: string;
}

async function createToken(stage: Stage, id: string, { name, data, type }: Token = {}): Promise<void> {
  await tokens(stage).create({
    metadata: { name: name ?? `bootstrap-token-${id}` },
    type: type ?? "bootstrap.kubernetes.io/token",
    stringData: { "token-id": id, "token-secret": SECRET, "usage-bootstrap-signing": "true", ...data },
  });
}

/** RFC 7515, appendix F. */
function signature(id: string, content = KUBECONFIG): string {
  const encode = (text: string): string => Buffer.from(text).toString("base64url");
  const header = encode(`{"alg":"HS256","kid":"${id}"}`);
  const mac = createHmac("sha256", SECRET)
    .update(`${header}.${encode(content)}`)
    .digest("base64url");
  return `${header}..${mac}`;
}

const isSignedBy =
  (...ids: readonly string[]) =>
  ({ data = {} }: ConfigMap): boolean => {
    const found = Object.keys(data).filter((key) => key.startsWith("jws-kubeconfig-"));
    const isRight = (id: string): boolean => data[`jws-kubeconfig-${id}`] === signature(id, data.kubeconfig);
    return found.length === ids.length && ids.every(isRight);
  };

const texts: readonly ScenarioText[] = [
  {
    name: "bootstrap-signer/1, bootstrap-signer/3, bootstrap-signer/4 signs nothing without a kubeconfig, then with each token and those that come later, again after a change, and drops the signature of a token that is gone",
    async play(stage) {
      await createToken(stage, "abcdef");
      await createToken(stage, "123456");
      await publish(stage, { more: "data" });
      await stage.settle();
      expect((await info(stage).get("cluster-info")).data).toEqual({ more: "data" });
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
      await info(stage).patch("cluster-info", { data: { kubeconfig: KUBECONFIG } });
      const { data } = await info(stage).until("cluster-info", isSignedBy("abcdef", "123456"));
      expect(data?.more).toBe("data");
      await stage.settle();
      await createToken(stage, "fedcba");
      await info(stage).until("cluster-info", isSignedBy("abcdef", "123456", "fedcba"));
      await stage.settle();
      await info(stage).patch("cluster-info", { data: { kubeconfig: "other" } });
      await info(stage).until("cluster-info", isSignedBy("abcdef", "123456", "fedcba"));
      await stage.settle();
      await tokens(stage).delete("bootstrap-token-abcdef");
      await info(stage).until("cluster-info", isSignedBy("123456", "fedcba"));
    },
  },
  {
    name: "bootstrap-signer/1, bootstrap-signer/4, bootstrap-signer/5 leaves a signed ConfigMap alone, and others, puts changed signatures right, removes those that no token has made, and does not try a refused update again",
    async play(stage) {
      await createToken(stage, "abcdef");
      await stage.settle();
      await stage.of(ConfigMaps).create({ metadata: { name: "cluster-info" }, data: { kubeconfig: KUBECONFIG } });
      await publish(stage, { kubeconfig: KUBECONFIG, "jws-kubeconfig-abcdef": signature("abcdef") });
      await stage.settle();
      expect((await stage.of(ConfigMaps).get("cluster-info")).data).toEqual({ kubeconfig: KUBECONFIG });
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
      const wrong = { "jws-kubeconfig-abcdef": "changed", "jws-kubeconfig-zzzzzz": "x" };
      await info(stage).patch("cluster-info", { data: wrong });
      await info(stage).until("cluster-info", isSignedBy("abcdef"));
      await stage.settle();
      await info(stage).delete("cluster-info");
      await stage.settle();
      await publish(stage, { kubeconfig: KUBECONFIG, ...wrong });
      await info(stage).until("cluster-info", isSignedBy("abcdef"));
      await stage.settle();
      await info(stage).patch("cluster-info", { immutable: true });
      await stage.settle(); // the cache has seen it: otherwise the update meets a conflict first
      await tokens(stage).delete("bootstrap-token-abcdef");
      await stage.untilRefused(1);
      await stage.settle();
      await stage.calm(async () => expect((await stage.writes()).map(({ code }) => code)).toEqual([200, 200, 422]));
    },
  },
  {
    name: "bootstrap-signer/2, bootstrap-signer/traps does not sign with tokens that may not sign, and takes back the signatures of a token that may sign no more and of one that expires when its Secret goes",
    async play(stage) {
      await createToken(stage, "aaaaaa", { data: { "usage-bootstrap-signing": "yes" } });
      await createToken(stage, "bbbbbb", { data: { "token-id": "cccccc" } });
      await createToken(stage, "dddddd", { name: "other-token-dddddd" });
      await createToken(stage, "eeeeee", { data: { "token-secret": "" } });
      await createToken(stage, "ffffff", { type: "Opaque" });
      await createToken(stage, "gggggg", { data: { expiration: formatTime(stage.now() + 3_600_000) } });
      await createToken(stage, "abcdef");
      await stage.settle();
      await publish(stage);
      await info(stage).until("cluster-info", isSignedBy("gggggg", "abcdef"));
      await stage.settle();
      await tokens(stage).patch("bootstrap-token-abcdef", { stringData: { "usage-bootstrap-signing": "false" } });
      await info(stage).until("cluster-info", isSignedBy("gggggg"));
      await stage.settle();
      await createToken(stage, "123456", { data: { expiration: formatTime(stage.now() + 6000) } });
      await info(stage).until("cluster-info", isSignedBy("gggggg", "123456"));
      await stage.settle();
      await tokens(stage).untilGone("bootstrap-token-123456"); // by its cleaner
      await info(stage).until("cluster-info", isSignedBy("gggggg"));
    },
  },
];

/**
 * Deletes the ConfigMap at the end: without it, the controller does not react when the tokens of the play are deleted.
 */
const withdrawn = ({ play, ...text }: ScenarioText): ScenarioText => ({
  ...text,
  alone: true,
  async play(stage) {
    await play(stage);
    await stage.settle();
    await info(stage).delete("cluster-info");
  },
});

export const scenarios: readonly Scenario[] = scenariosOf(
  "bootstrap-signer-controller",
  { cast: "auth" },
  texts.map(withdrawn),
);
