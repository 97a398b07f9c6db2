// The cluster-info ConfigMap carries a signature for each bootstrap token that may sign.

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
    name: "bootstrap-signer/3 signs the kubeconfig with each token, and keeps other data",
    async play(stage) {
      await createToken(stage, "abcdef");
      await createToken(stage, "123456");
      await stage.settle();
      await publish(stage, { kubeconfig: KUBECONFIG, more: "data" });
      const { data } = await info(stage).until("cluster-info", isSignedBy("abcdef", "123456"));
      expect(data?.more).toBe("data");
    },
  },
  {
    name: "bootstrap-signer/3 signs with a token that is made later, and again after the kubeconfig has changed",
    async play(stage) {
      await publish(stage);
      await stage.settle();
      await createToken(stage, "abcdef");
      await info(stage).until("cluster-info", isSignedBy("abcdef"));
      await stage.settle();
      await info(stage).patch("cluster-info", { data: { kubeconfig: "other" } });
      await info(stage).until("cluster-info", isSignedBy("abcdef"));
    },
  },
  {
    name: "bootstrap-signer/4 removes the signature of a token that is gone",
    async play(stage) {
      await createToken(stage, "abcdef");
      await createToken(stage, "123456");
      await stage.settle();
      await publish(stage);
      await info(stage).until("cluster-info", isSignedBy("abcdef", "123456"));
      await stage.settle();
      await tokens(stage).delete("bootstrap-token-abcdef");
      await info(stage).until("cluster-info", isSignedBy("123456"));
    },
  },
  {
    name: "bootstrap-signer/4 removes signatures that no token has made, and puts changed ones right",
    async play(stage) {
      await createToken(stage, "abcdef");
      await stage.settle();
      await publish(stage, { kubeconfig: KUBECONFIG, "jws-kubeconfig-abcdef": "x", "jws-kubeconfig-zzzzzz": "y" });
      await info(stage).until("cluster-info", isSignedBy("abcdef"));
      await stage.settle();
      await info(stage).patch("cluster-info", { data: { "jws-kubeconfig-abcdef": "changed" } });
      await info(stage).until("cluster-info", isSignedBy("abcdef"));
    },
  },
  {
    name: "bootstrap-signer/2 does not sign with tokens that may not sign",
    async play(stage) {
      await createToken(stage, "aaaaaa", { data: { "usage-bootstrap-signing": "yes" } });
      await createToken(stage, "bbbbbb", { data: { "token-id": "cccccc" } });
      await createToken(stage, "dddddd", { name: "other-token-dddddd" });
      await createToken(stage, "eeeeee", { data: { "token-secret": "" } });
      await createToken(stage, "ffffff", { type: "Opaque" });
      await createToken(stage, "gggggg", { data: { expiration: formatTime(stage.now() + 3_600_000) } });
      await stage.settle();
      await publish(stage);
      await info(stage).until("cluster-info", isSignedBy("gggggg"));
    },
  },
  {
    name: "bootstrap-signer/2 takes back the signature of a token that may sign no more",
    async play(stage) {
      await createToken(stage, "abcdef");
      await stage.settle();
      await publish(stage);
      await info(stage).until("cluster-info", isSignedBy("abcdef"));
      await stage.settle();
      await tokens(stage).patch("bootstrap-token-abcdef", { stringData: { "usage-bootstrap-signing": "false" } });
      await info(stage).until("cluster-info", isSignedBy());
    },
  },
  {
    name: "bootstrap-signer/1 signs nothing without a kubeconfig",
    async play(stage) {
      await createToken(stage, "abcdef");
      await publish(stage, { other: "data" });
      await stage.settle();
      expect((await info(stage).get("cluster-info")).data).toEqual({ other: "data" });
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
    },
  },
  {
    name: "bootstrap-signer/1, bootstrap-signer/4 leaves a signed ConfigMap alone, and others",
    async play(stage) {
      await createToken(stage, "abcdef");
      await stage.of(ConfigMaps).create({ metadata: { name: "cluster-info" }, data: { kubeconfig: KUBECONFIG } });
      await publish(stage, { kubeconfig: KUBECONFIG, "jws-kubeconfig-abcdef": signature("abcdef") });
      await stage.settle();
      expect((await stage.of(ConfigMaps).get("cluster-info")).data).toEqual({ kubeconfig: KUBECONFIG });
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
    },
  },
  {
    name: "bootstrap-signer/5 does not try a refused update again",
    async play(stage) {
      await createToken(stage, "abcdef");
      await stage.settle();
      const metadata = { name: "cluster-info" };
      await info(stage).create({ metadata, immutable: true, data: { kubeconfig: KUBECONFIG } });
      await stage.untilRefused(1);
      await stage.settle();
      await stage.calm(async () => expect((await stage.writes()).map(({ code }) => code)).toEqual([422]));
    },
  },
  {
    name: "bootstrap-signer/traps drops the signature of a token that expires when its Secret goes",
    async play(stage) {
      await createToken(stage, "abcdef", { data: { expiration: formatTime(stage.now() + 6000) } });
      await publish(stage);
      await info(stage).until("cluster-info", isSignedBy("abcdef"));
      await stage.settle();
      await tokens(stage).untilGone("bootstrap-token-abcdef"); // by its cleaner
      await info(stage).until("cluster-info", isSignedBy());
    },
  },
];

/** Without its ConfigMap the controller does not see the tokens of the play go. */
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
