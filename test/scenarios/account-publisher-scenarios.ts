// What the publisher of the root CA must do, as scenarios for both stages.

import { expect } from "vitest";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import { BUNDLE } from "./account-objects.ts";
import type { Scenario, Stage, StageWrite } from "./stage.ts";
import { createNamespace, createObject, namesIn, patch, remove, terminateNamespace, untilFound } from "./steps.ts";

const DESCRIPTION = "kubernetes.io/description";

/** A stage may have controllers that write other things. */
const writesOf = async (stage: Stage): Promise<readonly StageWrite[]> =>
  (await stage.writes()).filter(({ resource }) => resource === "configmaps");

export const publisherScenarios: readonly Scenario[] = [
  {
    name: "root-ca-certificate-publisher/1, root-ca-certificate-publisher/tests publishes the bundle with its description",
    async play(stage) {
      const namespace = `new-${stage.namespace}`;
      await createNamespace(stage, namespace);
      const found = await untilFound(stage, ConfigMaps, BUNDLE, undefined, namespace);
      expect(Object.keys(found.data ?? {})).toEqual(["ca.crt"]);
      expect(found.data?.["ca.crt"]).toContain("-----BEGIN CERTIFICATE-----");
      expect(found.metadata?.annotations?.[DESCRIPTION]).toMatch(
        /^Contains a CA bundle that can be used to verify the kube-apiserver/,
      );
    },
  },
  {
    name: "root-ca-certificate-publisher/3, root-ca-certificate-publisher/tests restores the data, keeps what is the user's own",
    async play(stage) {
      const { data } = await untilFound(stage, ConfigMaps, BUNDLE);
      await patch(stage, ConfigMaps, BUNDLE, {
        metadata: { labels: { mine: "1" }, annotations: { mine: "2" } },
        data: { "ca.crt": "junk", more: "x" },
        binaryData: { b: "AA==" },
      });
      const restored = await untilFound(stage, ConfigMaps, BUNDLE, (found) => found.data?.["ca.crt"] !== "junk");
      expect([restored.data, restored.metadata?.labels, restored.binaryData]).toEqual([
        data,
        { mine: "1" },
        { b: "AA==" },
      ]);
      expect(restored.metadata?.annotations?.mine).toBe("2");
    },
  },
  {
    name: "root-ca-certificate-publisher/1, root-ca-certificate-publisher/tests publishes it again when it is deleted",
    async play(stage) {
      const { metadata } = await untilFound(stage, ConfigMaps, BUNDLE);
      await remove(stage, ConfigMaps, BUNDLE);
      await untilFound(stage, ConfigMaps, BUNDLE, (found) => found.metadata?.uid !== metadata?.uid);
    },
  },
  {
    name: "root-ca-certificate-publisher/3, root-ca-certificate-publisher/tests leaves a description in other words, restores one that is gone",
    async play(stage) {
      const { metadata } = await untilFound(stage, ConfigMaps, BUNDLE);
      const words = metadata?.annotations?.[DESCRIPTION];
      await patch(stage, ConfigMaps, BUNDLE, { metadata: { annotations: { [DESCRIPTION]: "different" } } });
      await stage.pass(300);
      const kept = await untilFound(stage, ConfigMaps, BUNDLE);
      expect(kept.metadata?.annotations?.[DESCRIPTION]).toBe("different");
      await patch(stage, ConfigMaps, BUNDLE, { metadata: { annotations: { [DESCRIPTION]: null } } });
      await untilFound(stage, ConfigMaps, BUNDLE, (found) => found.metadata?.annotations?.[DESCRIPTION] === words);
    },
  },
  {
    name: "root-ca-certificate-publisher/watches, root-ca-certificate-publisher/tests leaves other ConfigMaps alone",
    async play(stage) {
      await untilFound(stage, ConfigMaps, BUNDLE);
      await createObject(stage, ConfigMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other" } });
      await patch(stage, ConfigMaps, "other", { data: { aa: "bb" } });
      await stage.pass(100);
      const other = await untilFound(stage, ConfigMaps, "other");
      expect(other.data).toEqual({ aa: "bb" });
      await remove(stage, ConfigMaps, "other");
      await stage.pass(300);
      expect(await namesIn(stage, ConfigMaps)).toEqual([BUNDLE]);
      expect((await writesOf(stage)).map(({ method }) => method)).toEqual(["POST"]);
    },
  },
  {
    name: "root-ca-certificate-publisher/2, root-ca-certificate-publisher/tests publishes nothing in a namespace that is being deleted",
    async play(stage) {
      await untilFound(stage, ConfigMaps, BUNDLE);
      await terminateNamespace(stage);
      await remove(stage, ConfigMaps, BUNDLE);
      await stage.pass(500);
      expect(await namesIn(stage, ConfigMaps)).toEqual([]);
      const refused = (await writesOf(stage)).filter(({ code }) => code === 403);
      expect(refused).toHaveLength(1); // asked once, and took the refusal for an answer
    },
  },
  {
    name: "root-ca-certificate-publisher/traps tries for ever to change a ConfigMap that was made immutable",
    async play(stage) {
      await untilFound(stage, ConfigMaps, BUNDLE);
      await patch(stage, ConfigMaps, BUNDLE, { data: { "ca.crt": "junk" }, immutable: true });
      await stage.until(async () => {
        const invalid = (await writesOf(stage)).filter(({ method, code }) => method === "PUT" && code === 422);
        return invalid.length > 2 ? true : undefined;
      });
    },
  },
];
