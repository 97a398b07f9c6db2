import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CodecError } from "#api/codec-error.ts";
import type { WatchEvent } from "#api/object.ts";
import { decodeWatchEvent, encodeWatchEvent, FRAME_BYTES_MAX, FrameSplitter } from "#api/proto-watch.ts";

const event = (type: WatchEvent["type"], name: string): WatchEvent => ({
  type,
  object: { kind: "ConfigMap", apiVersion: "v1", metadata: { name } },
});

describe("protobuf watch stream", () => {
  it("decodes the events it encodes, with the stream cut at any place", () => {
    const name = fc.string({ minLength: 1, maxLength: 300 });
    const type = fc.constantFrom("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR") as fc.Arbitrary<
      WatchEvent["type"]
    >;
    const events = fc.array(fc.tuple(type, name), { maxLength: 6 });
    fc.assert(
      fc.property(events, fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (list, sizes) => {
        const sent = list.map(([kind, title]) => event(kind, title));
        const stream = new Uint8Array(sent.flatMap((each) => [...encodeWatchEvent(each)]));
        const splitter = new FrameSplitter();
        const received: WatchEvent[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const size = sizes[turn % sizes.length] as number;
          for (const frame of splitter.push(stream.subarray(at, at + size))) received.push(decodeWatchEvent(frame));
          at += size;
        }
        splitter.finish();
        expect(received).toEqual(sent);
      }),
    );
  });

  it("carries an error status", () => {
    const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "Expired", code: 410 };
    const [frame] = new FrameSplitter().push(encodeWatchEvent({ type: "ERROR", object: status } as WatchEvent));
    expect(decodeWatchEvent(frame as Uint8Array)).toEqual({ type: "ERROR", object: status } as WatchEvent);
  });

  it("refuses a stream that ends inside a frame, a monstrous frame and a frame of nonsense", () => {
    const splitter = new FrameSplitter();
    splitter.push(encodeWatchEvent(event("ADDED", "a")).subarray(0, 9));
    expect(() => splitter.finish()).toThrow(CodecError);
    const header = new Uint8Array(4);
    new DataView(header.buffer).setUint32(0, FRAME_BYTES_MAX + 1);
    expect(() => new FrameSplitter().push(header)).toThrow(/longer than maximum/);
    expect(() => decodeWatchEvent(new Uint8Array([0x0a, 1, 0x41]))).toThrow("got invalid watch event type: A");
    expect(() => decodeWatchEvent(encodeWatchEvent(event("ADDED", "a")).subarray(4, 12))).toThrow(CodecError);
  });
});
