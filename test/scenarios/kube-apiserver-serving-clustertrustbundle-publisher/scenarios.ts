// The CA of API servers is published as a trust bundle, the only one of its signer. The scenario that changes it plays
// alone.

import { expect } from "vitest";
import { ClusterTrustBundles } from "#api/generated/resources/certificates-v1beta1.ts";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import type { ClusterTrustBundle } from "#api/generated/types/certificates-v1beta1.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const SIGNER = "kubernetes.io/kube-apiserver-serving";
const PREFIX = "kubernetes.io:kube-apiserver-serving:";
/** The certificate of CN=web, which is a CA. */
const OTHER_CA =
  "-----BEGIN CERTIFICATE-----\nMIIBMDCB46ADAgECAhQf1e5TyPQWSBTNvaQJAN+BN86hpDAFBgMrZXAwDjEMMAoG\nA1UEAwwDd2ViMB4XDTI2MTExNjExMDA0N1oXDTQ2MTExMTExMDA0N1owDjEMMAoG\nA1UEAwwDd2ViMCowBQYDK2VwAyEApamfCB+a0FOvr8hKZHVyplQ2iaVpl19FXRd1\n5iRNommjUzBRMB0GA1UdDgQWBBTTaXRaYHWh+9edJLyOhmyj6PyLWDAfBgNVHSME\nGDAWgBTTaXRaYHWh+9edJLyOhmyj6PyLWDAPBgNVHRMBAf8EBTADAQH/MAUGAytl\ncANBAOcDQPJU9cbj+vSzwyLw6oK7woAVNYdp460t0bSggM21Z1YxEV9xbljf65+v\ndofIBwqrC68h6CfJ+uXDnOio/Ac=\n-----END CERTIFICATE-----\n";

const isPublished = ({ metadata, spec }: ClusterTrustBundle): boolean =>
  new RegExp(`^${PREFIX}[0-9a-f]{24}$`).test(metadata?.name ?? "") && spec.signerName === SIGNER;

/** Waits until the bundle is the only one of its signer. */
async function published(stage: Stage): Promise<ClusterTrustBundle & { readonly metadata: { readonly name: string } }> {
  return await stage.until("the published bundle", async () => {
    const own = (await stage.of(ClusterTrustBundles).list()).filter(({ spec }) => spec.signerName === SIGNER);
    const [bundle] = own;
    if (own.length !== 1 || bundle === undefined || !isPublished(bundle)) return undefined;
    stage.call(bundle.metadata.name, "the published bundle"); // each control plane has a different CA
    return bundle;
  });
}

async function rootCa(stage: Stage): Promise<string> {
  const { data } = await stage.of(ConfigMaps).until("kube-root-ca.crt");
  return data?.["ca.crt"] ?? "";
}

export const scenarios: readonly Scenario[] = scenariosOf(
  "kube-apiserver-serving-clustertrustbundle-publisher-controller",
  { cast: "auth", profile: "alpha" },
  [
    {
      name: "kube-apiserver-serving-clustertrustbundle-publisher/1, kube-apiserver-serving-clustertrustbundle-publisher/4 publishes the root CA at its start",
      async play(stage) {
        expect((await published(stage)).spec.trustBundle).toBe(await rootCa(stage));
      },
    },
    {
      name: "kube-apiserver-serving-clustertrustbundle-publisher/3 deletes the signer's other bundles",
      async play(stage) {
        await published(stage);
        for (const base of ["old", "older"]) {
          const name = `${PREFIX}${stage.name(base)}`;
          const spec = { signerName: SIGNER, trustBundle: OTHER_CA };
          await stage.of(ClusterTrustBundles).create({ metadata: { name }, spec });
          await stage.of(ClusterTrustBundles).untilGone(name);
          await stage.settle();
        }
        await published(stage);
      },
    },
    {
      name: "kube-apiserver-serving-clustertrustbundle-publisher/3 keeps bundles of other signers and of none",
      async play(stage) {
        const [own, none] = [`example.com:signer:${stage.name("a")}`, stage.name("none")];
        const trustBundle = OTHER_CA;
        await stage
          .of(ClusterTrustBundles)
          .create({ metadata: { name: own }, spec: { signerName: "example.com/signer", trustBundle } });
        await stage.of(ClusterTrustBundles).create({ metadata: { name: none }, spec: { trustBundle } });
        await stage.settle();
        expect(await stage.of(ClusterTrustBundles).find(own)).toBeDefined();
        expect(await stage.of(ClusterTrustBundles).find(none)).toBeDefined();
        await stage.calm(async () => expect(await stage.writes()).toEqual([]));
      },
    },
    {
      name: "kube-apiserver-serving-clustertrustbundle-publisher/2, kube-apiserver-serving-clustertrustbundle-publisher/4 publishes a deleted bundle again, puts a changed one right and keeps its labels, and leaves it alone after a restart",
      alone: true,
      async play(stage) {
        const { metadata, spec } = await published(stage);
        await stage.of(ClusterTrustBundles).delete(metadata.name);
        expect((await published(stage)).metadata.name).toBe(metadata.name);
        await stage.settle();
        const change = { metadata: { labels: { mine: "1" } }, spec: { trustBundle: OTHER_CA } };
        await stage.of(ClusterTrustBundles).patch(metadata.name, change);
        const isRight = (bundle: ClusterTrustBundle): boolean => bundle.spec.trustBundle === spec.trustBundle;
        const restored = await stage.of(ClusterTrustBundles).until(metadata.name, isRight);
        expect(restored.metadata.labels).toEqual({ mine: "1" });
        await stage.settle();
        let before = 0;
        await stage.calm(async () => {
          before = (await stage.writes()).length;
        });
        await stage.restart(async () => undefined);
        await stage.settle();
        await stage.calm(async () => expect((await stage.writes()).slice(before)).toEqual([]));
        await published(stage);
      },
    },
  ],
);
