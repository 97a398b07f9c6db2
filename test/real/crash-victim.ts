// Started by crash.test.ts: starts a control plane, prints its processes, and waits to be killed.

import { startControlPlane } from "./control-plane.ts";

const control = await startControlPlane();
const manager = await control.startGoManager();
const pids = [control.etcd.pid, control.apiServer.pid, manager.pid];
process.stdout.write(`${JSON.stringify({ pids, directory: control.directory })}\n`);
setInterval(() => {}, 60_000);
