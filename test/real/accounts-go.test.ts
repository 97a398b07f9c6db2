// Service accounts, tokens and the root CA of the Go manager and of ours are equal, byte by byte, and neither manager
// rewrites the objects of the other.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ConfigMaps, Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { ConfigMap, Secret } from "#api/generated/types/core-v1.ts";
import { account, BUNDLE, tokenSecret, untilFilled } from "#test/scenarios/account-objects.ts";
import type { Scene } from "#test/stage/stage.ts";
import { goDaemon, ourDaemon } from "./daemon.ts";
import { startOurManager } from "./our-manager.ts";
import { realScene } from "./real-scene.ts";
import { describeReal, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const controllers = [
  "serviceaccount-token-controller",
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
];

describeReal("accounts, tokens and the root CA next to the Go manager", () => {
  const plane = useControlPlane();

  /** The signed header and claims; the signature of an elliptic curve key differs each time. */
  const signed = ({ data }: Secret): string =>
    atob(data?.token ?? "")
      .split(".")
      .slice(0, 2)
      .join(".");

  async function fill(stage: Scene): Promise<{ secret: Secret; bundle: ConfigMap }> {
    const secret = await untilFilled(stage, "t");
    return { secret, bundle: await stage.of(ConfigMaps).until(BUNDLE) };
  }
  /** The parts of an object that a controller decides. */
  const decided = ({ metadata, ...rest }: Secret | ConfigMap): unknown => ({
    ...rest,
    annotations: metadata?.annotations,
  });

  it(
    "serviceaccount-token/7, serviceaccount-token/6, root-ca-certificate-publisher/1 ours writes what the Go manager writes",
    async () => {
      const stage = await realScene(plane());
      await stage.of(ServiceAccounts).create(account("bot"));
      await stage.of(Secrets).create(tokenSecret("t", "bot"));
      const go = await plane().startGoManager({ controllers: controllers.slice(1) });
      const theirs = await fill(stage);
      await go.stop();

      const version = async (): Promise<(string | undefined)[]> => {
        const { secret, bundle } = await fill(stage);
        return [secret, bundle].map(({ metadata }) => metadata?.resourceVersion);
      };
      const before = await version();
      const ours = await startOurManager(plane(), { controllers });
      await stage.of(ServiceAccounts).until("default");
      await stage.pass(500);
      expect(await version()).toEqual(before); // everything is already correct

      await stage.of(Secrets).patch("t", { data: { token: null, "ca.crt": null, namespace: null } });
      await stage.of(ConfigMaps).patch(BUNDLE, { data: { "ca.crt": "junk" }, metadata: { annotations: null } });
      const mine = await untilFilled(stage, "t");
      const bundle = await stage.of(ConfigMaps).until(BUNDLE, ({ data }) => data?.["ca.crt"] !== "junk");
      await ours.stop();
      expect(signed(mine)).toBe(signed(theirs.secret));
      const withoutToken = (secret: Secret): unknown => decided({ ...secret, data: { ...secret.data, token: "" } });
      expect(withoutToken(mine)).toEqual(withoutToken(theirs.secret));
      expect(decided(bundle)).toEqual(decided(theirs.bundle));
    },
    LIMIT_MS,
  );

  it.each([
    { what: "its own data", isInline: true },
    { what: "a file", isInline: false },
  ])(
    "root-ca-certificate-publisher/traps, root-ca-certificate-publisher/config, serviceaccount-token/config without --root-ca-file, with a kubeconfig that has its CA in $what",
    async ({ isInline }) => {
      const inline = readFileSync(plane().kubeconfigFor({ user: "system:kube-controller-manager" }), "utf8");
      const document = JSON.parse(inline) as { clusters: { cluster: Record<string, unknown> }[] };
      for (const entry of document.clusters) {
        if (isInline) continue;
        delete entry.cluster["certificate-authority-data"];
        entry.cluster["certificate-authority"] = plane().pki.file("ca.crt");
      }
      const kubeconfig = join(plane().directory, `ca-${isInline}.kubeconfig`);
      writeFileSync(kubeconfig, JSON.stringify(document));
      const published: unknown[] = [];
      for (const command of [goDaemon(), ourDaemon]) {
        const flags = ["--root-ca-file=", `--kubeconfig=${kubeconfig}`, "--leader-elect=false"];
        const manager = await plane().startManager(command, { controllers: controllers.slice(1), flags });
        const stage = await realScene(plane());
        await stage.of(ServiceAccounts).create(account("bot"));
        await stage.of(Secrets).create(tokenSecret("t", "bot"));
        const { secret, bundle } = await fill(stage);
        published.push([bundle.data, secret.data?.["ca.crt"]]);
        await manager.stop();
      }
      const ca = plane().pki.ca.certificatePem;
      const expected = isInline ? [{ "ca.crt": ca }, btoa(ca)] : [{ "ca.crt": "" }, undefined];
      expect(published).toEqual([expected, expected]);
    },
    LIMIT_MS,
  );
});
