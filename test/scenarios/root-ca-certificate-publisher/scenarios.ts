// The publisher keeps a ConfigMap with the root CA in every namespace.

import { expect } from "vitest";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import { createNamespace, terminateNamespace } from "#test/stage/namespaces.ts";
import { REFUSALS, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage, StageWrite } from "#test/stage/stage.ts";

const BUNDLE = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";

/** Leaves out the writes of other controllers of the cast. */
const writesOf = async (stage: Stage): Promise<readonly StageWrite[]> =>
  (await stage.writes()).filter(({ who }) => who === "root-ca-cert-publisher");

const name = "root-ca-certificate-publisher-controller";

export const scenarios: readonly Scenario[] = scenariosOf(name, { cast: "auth" }, [
  {
    name: "root-ca-certificate-publisher/1, root-ca-certificate-publisher/tests publishes the bundle with its description",
    async play(stage) {
      const namespace = await createNamespace(stage, "new");
      const { data = {}, metadata } = await stage.of(ConfigMaps, namespace).until(BUNDLE);
      expect(Object.keys(data)).toEqual(["ca.crt"]);
      expect(data["ca.crt"]).toContain("-----BEGIN CERTIFICATE-----");
      expect(metadata.annotations?.[DESCRIPTION]).toMatch(
        /^Contains a CA bundle that can be used to verify the kube-apiserver/,
      );
    },
  },
  {
    name: "root-ca-certificate-publisher/3, root-ca-certificate-publisher/tests restores the data, keeps the user's labels, annotations and binary data",
    async play(stage) {
      const configMaps = stage.of(ConfigMaps);
      const { data } = await configMaps.get(BUNDLE);
      await configMaps.patch(BUNDLE, {
        metadata: { labels: { mine: "1" }, annotations: { mine: "2" } },
        data: { "ca.crt": "junk", more: "x" },
        binaryData: { b: "AA==" },
      });
      const restored = await configMaps.until(BUNDLE, (found) => found.data?.["ca.crt"] !== "junk");
      expect([restored.data, restored.metadata.labels, restored.binaryData]).toEqual([
        data,
        { mine: "1" },
        { b: "AA==" },
      ]);
      expect(restored.metadata.annotations?.mine).toBe("2");
    },
  },
  {
    name: "root-ca-certificate-publisher/1, root-ca-certificate-publisher/tests publishes the bundle again when it is deleted",
    async play(stage) {
      const { uid } = (await stage.of(ConfigMaps).get(BUNDLE)).metadata;
      await stage.of(ConfigMaps).delete(BUNDLE);
      await stage.of(ConfigMaps).until(BUNDLE, ({ metadata }) => metadata.uid !== uid);
    },
  },
  {
    name: "root-ca-certificate-publisher/3, root-ca-certificate-publisher/tests leaves a description in other words, restores one that is gone",
    async play(stage) {
      const configMaps = stage.of(ConfigMaps);
      const words = (await configMaps.get(BUNDLE)).metadata.annotations?.[DESCRIPTION];
      await configMaps.patch(BUNDLE, { metadata: { annotations: { [DESCRIPTION]: "different" } } });
      await stage.settle();
      expect((await configMaps.get(BUNDLE)).metadata.annotations?.[DESCRIPTION]).toBe("different");
      await configMaps.patch(BUNDLE, { metadata: { annotations: { [DESCRIPTION]: null } } });
      await configMaps.until(BUNDLE, ({ metadata }) => metadata.annotations?.[DESCRIPTION] === words);
    },
  },
  {
    name: "root-ca-certificate-publisher/watches, root-ca-certificate-publisher/tests leaves other ConfigMaps alone",
    async play(stage) {
      const configMaps = stage.of(ConfigMaps);
      await configMaps.create({ metadata: { name: "other" } });
      await configMaps.patch("other", { data: { aa: "bb" } });
      await stage.settle();
      expect((await configMaps.get("other")).data).toEqual({ aa: "bb" });
      await configMaps.delete("other");
      await stage.settle();
      expect((await configMaps.list()).map(({ metadata }) => metadata.name)).toEqual([BUNDLE]);
      await stage.calm(async () => expect(await writesOf(stage)).toEqual([]));
    },
  },
  {
    name: "root-ca-certificate-publisher/2, root-ca-certificate-publisher/tests publishes nothing in a namespace that is being deleted",
    async play(stage) {
      await terminateNamespace(stage);
      await stage.settle();
      await stage.of(ConfigMaps).delete(BUNDLE);
      await stage.settle();
      expect(await stage.of(ConfigMaps).list()).toEqual([]);
      // The controller tries once and accepts the refusal.
      await stage.calm(async () => expect((await writesOf(stage)).map(({ code }) => code)).toEqual([403]));
    },
  },
  {
    name: "root-ca-certificate-publisher/traps tries for ever to change a ConfigMap that was made immutable",
    async play(stage) {
      await stage.of(ConfigMaps).patch(BUNDLE, { data: { "ca.crt": "junk" }, immutable: true });
      await stage.untilRefused(REFUSALS);
      await stage.calm(async () => {
        expect(new Set((await writesOf(stage)).map(({ verb, code }) => `${verb} ${code}`))).toEqual(
          new Set(["update 422"]),
        );
      });
      await stage.settle();
      await stage.of(ConfigMaps).delete(BUNDLE);
      await stage.of(ConfigMaps).until(BUNDLE, ({ data }) => data?.["ca.crt"] !== "junk");
    },
  },
]);
