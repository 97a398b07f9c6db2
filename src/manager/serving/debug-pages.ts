// The debug pages of controllers: whatever one of them answers, below a path with its name. They are not listed,
// and who may read them is a matter of the chain before.
// Upstream: cmd/kube-controller-manager/app/controllermanager.go, BuildControllers.

import type { BuiltController } from "../run-controllers.ts";
import type { Handler } from "./request.ts";

const BASE = "/debug/controllers/";

/** pages: handlers by path; each also answers for what is below it. */
export function mountDebugPages(built: readonly BuiltController[], pages: Map<string, Handler>): void {
  for (const { name, controller } of built) {
    const base = BASE + name;
    const answer = controller.debug?.bind(controller);
    if (answer === undefined) continue;
    pages.set(base, (request, signal) => answer({ ...request, path: request.path.slice(base.length) }, signal));
  }
}
