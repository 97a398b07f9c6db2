// Mounts the debug pages of controllers below paths with their names. The pages are not listed. The chain before them
// authorizes the reader.
// Upstream: cmd/kube-controller-manager/app/controllermanager.go, BuildControllers.

import type { BuiltController } from "../run-controllers.ts";
import type { Handler } from "./request.ts";

const BASE = "/debug/controllers/";

/** pages: handlers by path; each also handles the paths below. */
export function mountDebugPages(built: readonly BuiltController[], pages: Map<string, Handler>): void {
  for (const { name, controller } of built) {
    const base = BASE + name;
    const answer = controller.debug?.bind(controller);
    if (answer === undefined) continue;
    pages.set(base, (request, signal) => answer({ ...request, path: request.path.slice(base.length) }, signal));
  }
}
