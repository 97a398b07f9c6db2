// Profiles kube-apiserver while a manager starts: what the start costs the server.
//   bun bench/server-profile.ts go|ours start|start-full --out=<file> [flag of ours …]
// Ours is dist/kube-controller-manager (`make build`). The file is for `go tool pprof -top -cum <file>`.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { startControlPlane } from "#test/real/control-plane.ts";
import { cpuMs } from "./manager-process.ts";
import { adminClient, sleep } from "./plane.ts";
import { plantCanaries, untilCanariesDone, wholePieces, wholeSizes } from "./whole-workloads.ts";

const PROFILE_SECONDS = 6;
/** The time from the request for the profile to its first sample. */
const PROFILE_BEGINS_MS = 300;
const WARM_UP_MS = 5000;
const namespace = "bench";
const flags = ["--kube-api-qps=1000", "--kube-api-burst=2000"];
const compiled = join(import.meta.dirname, "..", "dist", "kube-controller-manager");

const [manager = "", name = "", ...rest] = argv.slice(2);
const piece = wholePieces(wholeSizes).find((known) => known.name === name);
const out = rest.find((argument) => argument.startsWith("--out="))?.slice("--out=".length);
if (piece === undefined || out === undefined) throw new Error("see the top of bench/server-profile.ts");

const plane = await startControlPlane();
const stage = { client: await adminClient(plane), namespace, signal: new AbortController().signal };
await plane.request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
await plane.request("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "default" } });
await piece.fill?.(stage);
await sleep(WARM_UP_MS);
await plantCanaries(stage);
const request = { method: "GET", path: "/debug/pprof/profile", query: `seconds=${PROFILE_SECONDS}`, accept: "*/*" };
const profile = stage.client.raw(request, stage.signal);
await sleep(PROFILE_BEGINS_MS);
const before = cpuMs(plane.apiServer.pid);
const controllers = ["*"];
const own = rest.filter((argument) => !argument.startsWith("--out="));
const program =
  manager === "go"
    ? await plane.startGoManager({ controllers, flags })
    : await plane.startManager([compiled], { controllers, flags: [...flags, ...own] });
await untilCanariesDone(stage);
const { bytes } = await profile;
stdout.write(`CPU ms: API server ${cpuMs(plane.apiServer.pid) - before}, manager ${cpuMs(program.pid)}\n`);
writeFileSync(out, bytes);
await program.stop();
await plane.stop();
process.exit(0);
