// Where log lines go: standard error; or, with split streams, information to standard output, which may be buffered,
// and errors to standard error. Lines are written synchronously, so that none is lost at exit.
// Upstream: k8s.io/component-base/logs/api/v1/options.go, apply; klog's flush daemon.

import { writeSync } from "node:fs";

export interface LogOutputOptions {
  readonly splitStream: boolean;
  /** Size of the buffer for information; 0 writes each line at once. */
  readonly infoBufferBytes: number;
  readonly flushEveryMs: number;
}

export interface LogOutput {
  write(line: string, severity: "info" | "error"): void;
  flush(): void;
}

const STDOUT = 1;
const STDERR = 2;

export function openLogOutput({ splitStream, infoBufferBytes, flushEveryMs }: LogOutputOptions): LogOutput {
  if (!splitStream) return { write: (line) => writeAll(STDERR, line), flush: () => undefined };
  let held = "";
  const flush = (): void => {
    if (held === "") return;
    const text = held;
    held = "";
    writeAll(STDOUT, text);
  };
  if (infoBufferBytes > 0) setInterval(flush, flushEveryMs).unref();
  return {
    write(line, severity) {
      if (severity === "error") return writeAll(STDERR, line);
      held += line;
      if (held.length >= infoBufferBytes) flush();
    },
    flush,
  };
}

const nap = new Int32Array(new SharedArrayBuffer(4));

/** Waits for a slow reader of a pipe. If the reader is gone, the text is dropped. */
export function writeAll(descriptor: number, text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      Atomics.wait(nap, 0, 0, 1);
    }
  }
}
