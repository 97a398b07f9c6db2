// The descriptor of the usual controller: events queue keys, and workers sync them. build() receives the controller's
// parts and connects informers, enqueue rules, queues and the sync.

import type { Contract } from "./contract.ts";
import type { ClientNeeds, ControllerDescriptor } from "./controller.ts";
import { type ControllerParts, controllerParts } from "./controller-parts.ts";
import type { ControllerName } from "./known-controllers.ts";

export interface KeyedController<Options> {
  /** As in --controllers. */
  readonly name: ControllerName;
  readonly contract: Contract;
  readonly clientNeeds?: ClientNeeds;
  /** The log level of the controller's start and end lines; 0 unless given. */
  readonly verbosity?: number;
  /** Why the options switch the controller off, for the log; undefined when the controller is on. */
  whyOff?(options: Options): string | undefined;
  build(parts: ControllerParts, options: Options): void | Promise<void>;
}

export function keyedController<Options = undefined>(spec: KeyedController<Options>): ControllerDescriptor<Options> {
  const { name, contract, clientNeeds, verbosity } = spec;
  return {
    name,
    contract,
    async build(context, options) {
      const reason = spec.whyOff?.(options);
      if (reason !== undefined) {
        context.log.named(name).info(reason, { controller: name });
        return undefined;
      }
      const parts = await controllerParts(context, name, clientNeeds);
      await spec.build(parts, options);
      return parts.controller(verbosity);
    },
  };
}
