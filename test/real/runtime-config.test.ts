// The API groups that --runtime-config and feature gates enable: discovery of a real API server compared with the
// embedded one's.

import { expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { parseRuntimeConfig } from "#apiserver/builtin/runtime-config.ts";
import { startTestServer } from "#apiserver/testing.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { describeReal } from "./suite.ts";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly { resource: string }[] }[];
  }[];
}

const namesOf = ({ items }: Discovery): string[] =>
  items.flatMap(({ metadata, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map(({ resource }) => `${metadata.name ?? ""}/${version}/${resource}`),
    ),
  );

async function realNames(plane: ControlPlane): Promise<string[]> {
  const { text } = await plane.request("GET", "/apis");
  const { groups } = JSON.parse(text) as { groups: { versions: { groupVersion: string }[] }[] };
  const names: string[] = [];
  for (const { groupVersion } of groups.flatMap(({ versions }) => versions)) {
    const answer = await plane.request("GET", `/apis/${groupVersion}`);
    const { resources } = JSON.parse(answer.text) as { resources: { name: string }[] };
    const main = resources.filter(({ name }) => !name.includes("/"));
    names.push(...main.map(({ name }) => `${groupVersion}/${name}`));
  }
  return names;
}

describeReal("the API groups that flags enable", () => {
  it.each([
    ["api/all=true", {}],
    ["api/all=true", { AllAlpha: true, AllBeta: true }],
    ["api/beta=true,resource.k8s.io/v1beta1=false,batch/v1/cronjobs=false,autoscaling/v2=false", {}],
  ])(
    "%s with the gates %o",
    async (flag, set) => {
      const gateFlags = Object.entries(set).map(([name, isOn]) => `${name}=${isOn}`);
      const plane = await startControlPlane({
        apiServerFlags: [`--runtime-config=${flag}`, ...(gateFlags.length > 0 ? [`--feature-gates=${gateFlags}`] : [])],
      });
      try {
        const gates = new FeatureGates(featureGateTable(), "1.36");
        gates.setFromMap(set as Record<string, boolean>);
        const { bytes } = startTestServer({ gates, runtimeConfig: parseRuntimeConfig(flag) });
        const ours = (await bytes.get("/apis", { accept: AGGREGATED })).body as Discovery;
        expect(namesOf(ours)).toEqual(await realNames(plane));
      } finally {
        await plane.stop();
      }
    },
    120_000,
  );
});
