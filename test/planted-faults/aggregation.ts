// Faults in the API groups that the embedded API server serves: built-in, custom and aggregated ones.

import type { FaultPlan } from "./fault.ts";

const folder = "src/apiserver/aggregation";

export const plan: FaultPlan = {
  suites: ["./src/apiserver/aggregation", "./src/apiserver/builtin/runtime-config.test.ts"],
  faults: [
    {
      name: "an aggregated server sees the credentials of the user",
      file: `${folder}/proxied-request.ts`,
      find: "|authorization|",
      replace: "|",
      noticedBy: "receive requests with the user's identity",
    },
    {
      name: "a client says to an aggregated server who it is",
      file: `${folder}/proxied-request.ts`,
      find: "|x-remote-.*)$/",
      replace: ")$/",
      noticedBy: "receive requests with the user's identity",
    },
    {
      name: "a group whose server is away passes for current",
      file: `${folder}/aggregator.ts`,
      find: "const isCurrent = isAvailable(service) && known !== undefined;",
      replace: "const isCurrent = true;",
      noticedBy: "affect only their own group when unavailable",
    },
    {
      name: "endpoints that are not ready are asked",
      file: `${folder}/endpoint-resolution.ts`,
      find: "address === undefined || conditions?.ready === false",
      replace: "address === undefined",
      noticedBy: "are available once their service has ready endpoints that answer",
    },
    {
      name: "the APIService of a definition outlives it",
      file: `${folder}/local-services.ts`,
      find: 'managedBy(stored.object) === "true") deleteOwn(this.#core, API_SERVICES, name);',
      replace: 'managedBy(stored.object) === "true") return;',
      noticedBy: "are created and deleted with definitions, version by version",
    },
    {
      name: "what waits for a feature gate is served without it",
      file: "src/apiserver/builtin/runtime-config.ts",
      find: "if (gate !== undefined && !gates.isEnabled(gate)) return false;",
      replace: "",
      noticedBy: "serves gated resources only with their gate",
    },
  ],
};
