// What loading the generated tables costs: `bun bench/tables.ts`. Prints milliseconds and resident
// megabytes of each step, measured in this one fresh process.

interface Step {
  readonly name: string;
  run(): Promise<void>;
}

const steps: readonly Step[] = [
  {
    name: "resource table, all rows",
    async run() {
      (await import("#api/resource-table.ts")).builtinResources();
    },
  },
  {
    name: "schema table, one kind (Deployment)",
    async run() {
      (await import("#api/schema-table.ts")).schemaOf({ group: "apps", version: "v1", kind: "Deployment" });
    },
  },
  {
    name: "schema table, every kind",
    async run() {
      const { schemaOf } = await import("#api/schema-table.ts");
      for (const resource of (await import("#api/resource-table.ts")).builtinResources()) schemaOf(resource);
    },
  },
  {
    name: "Go layouts of the pod template (for hashing)",
    async run() {
      (await import("#api/go-layout.ts")).goStruct("core.v1", "PodTemplateSpec");
    },
  },
  {
    name: "protobuf codec, every kind",
    async run() {
      const { isProtobufKind } = await import("#api/proto-codec.ts");
      for (const resource of (await import("#api/resource-table.ts")).builtinResources()) isProtobufKind(resource);
    },
  },
];

const megabytes = (): number => process.memoryUsage.rss() / 1e6;

let totalMs = 0;
const startMb = megabytes();
for (const step of steps) {
  const beforeMb = megabytes();
  const before = performance.now();
  await step.run();
  const ms = performance.now() - before;
  totalMs += ms;
  process.stdout.write(
    `${step.name.padEnd(44)} ${ms.toFixed(2).padStart(8)} ms ${(megabytes() - beforeMb).toFixed(1).padStart(6)} MB\n`,
  );
}
process.stdout.write(
  `${"total".padEnd(44)} ${totalMs.toFixed(2).padStart(8)} ms ${(megabytes() - startMb).toFixed(1).padStart(6)} MB\n`,
);
