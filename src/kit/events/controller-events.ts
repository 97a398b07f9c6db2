// The events of one controller. Each controller has its own pipeline, so that a controller with many events does not
// delay the others.

import type { Logger } from "#base/log.ts";
import type { Client } from "#client/client.ts";
import type { ControllerContext } from "../controller.ts";
import { EventBroadcaster } from "./broadcaster.ts";
import type { EventRecorder } from "./recorder.ts";
import { eventSink } from "./sink.ts";

export interface ControllerEventsOptions {
  readonly context: Pick<ControllerContext, "clock" | "rng">;
  /** Writes the events. */
  readonly client: Client;
  readonly log: Logger;
  /** The source component of the events: usually, but not always, the controller's identity. */
  readonly component: string;
  /** The verbosity at which each event is also logged; upstream's choice for nearly all controllers unless given. */
  readonly logLevel?: number;
}

export interface ControllerEvents {
  readonly recorder: EventRecorder;
  /** Writes the recorded events while the controller runs. Does not use `this`. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

export function controllerEvents(options: ControllerEventsOptions): ControllerEvents {
  const { context, client, log, component, logLevel = 3 } = options;
  const rng = context.rng.fork(`events/${component}`);
  const broadcaster = new EventBroadcaster({ clock: context.clock, rng, log, sink: eventSink(client) }, { logLevel });
  return {
    recorder: broadcaster.recorder(component),
    run: (signal) => broadcaster.run(signal),
  };
}
