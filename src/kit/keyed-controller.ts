// The descriptor of the usual controller: events queue keys, workers sync them. build() is given the controller's parts
// and wires them: which informers, which events concern which keys, which queues, which sync.

import type { Contract } from "./contract.ts";
import type { ClientNeeds, ControllerDescriptor } from "./controller.ts";
import { type ControllerParts, controllerParts } from "./controller-parts.ts";
import { type ControllerName, knownController } from "./known-controllers.ts";

export interface KeyedController<Options> {
  /** As in --controllers. */
  readonly name: ControllerName;
  readonly contract: Contract;
  readonly clientNeeds?: ClientNeeds;
  /** The verbosity at which the log tells of the controller's start and end; 0 unless given. */
  readonly verbosity?: number;
  /** Why the options switch the controller off, for the log; undefined when they do not. */
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
        context.log.named(knownController(name).identity).info(reason, { controller: name });
        return undefined;
      }
      const parts = await controllerParts(context, name, clientNeeds);
      await spec.build(parts, options);
      return parts.controller(verbosity);
    },
  };
}
