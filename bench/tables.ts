// The cost of loading the generated tables: `bun bench/tables.ts`. Prints, for each step, CPU time and growth of
// resident memory in this fresh process. The daemon needs the first four.

interface Step {
  readonly name: string;
  run(): Promise<unknown>;
}

const core = { group: "", version: "v1" };

const steps: readonly Step[] = [
  {
    name: "resource table",
    run: async () => (await import("#api/resource-table.ts")).builtinResources(),
  },
  {
    name: "feature gates",
    run: async () => (await import("#api/feature-gate-table.ts")).featureGateTable(),
  },
  {
    name: "Go layout of the pod template, for hashing",
    run: async () => (await import("#api/hash.ts")).podTemplateHash({}),
  },
  {
    name: "schema of Pod, for merge patches",
    run: async () => (await import("#api/schema-table.ts")).schemaOf({ ...core, kind: "Pod" }),
  },
  {
    name: "schemas of every kind",
    run: async () => {
      const { schemaOf } = await import("#api/schema-table.ts");
      for (const resource of (await import("#api/resource-table.ts")).builtinResources()) schemaOf(resource);
    },
  },
  {
    name: "protobuf layouts of every kind",
    run: async () => {
      const { isProtobufKind } = await import("#api/proto-codec.ts");
      for (const resource of (await import("#api/resource-table.ts")).builtinResources()) isProtobufKind(resource);
    },
  },
];

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const megabytes = (): number => process.memoryUsage.rss() / 1e6;

const start = { ms: cpuMs(), mb: megabytes() };
const report = (name: string, from: typeof start): void => {
  const ms = (cpuMs() - from.ms).toFixed(1).padStart(8);
  const mb = (megabytes() - from.mb).toFixed(1).padStart(6);
  process.stdout.write(`${name.padEnd(44)} ${ms} ms ${mb} MB\n`);
};
for (const step of steps) {
  const before = { ms: cpuMs(), mb: megabytes() };
  await step.run();
  report(step.name, before);
}
report("all", start);
