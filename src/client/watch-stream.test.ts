// Watch bodies, cut into chunks at any place.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeObject, WatchEvent } from "#api/object.ts";
import { concat } from "#base/bytes.ts";
import { TransportError } from "#base/http.ts";
import { encodeText } from "#client/codec.ts";
import { DecodeError } from "#client/errors.ts";
import { watchEvents } from "#client/watch-stream.ts";

async function* from(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function collect(
  chunks: readonly Uint8Array[],
  contentType = "application/json",
  leavesOutManagedFields = false,
): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  const decoding = { contentType, protobuf, leavesOutManagedFields };
  for await (const batch of watchEvents<KubeObject>({ kind: "stream", chunks: from(chunks) }, decoding)) {
    events.push(...batch);
  }
  return events;
}

/** Stands in for the real codec: the frame's payload is JSON. */
const protobuf = {
  supports: () => true,
  encode: () => new Uint8Array(),
  decode: () => undefined,
  decodeWatchEvent: (frame: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(frame)),
};

function cut(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((c) => c % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

function frames(events: readonly unknown[]): Uint8Array {
  return concat(
    events.flatMap((event) => {
      const payload = encodeText(JSON.stringify(event));
      const length = new Uint8Array(4);
      new DataView(length.buffer).setUint32(0, payload.length);
      return [length, payload];
    }),
  );
}

const anyEvents = fc.array(
  fc.record({
    type: fc.constantFrom("ADDED", "MODIFIED", "DELETED"),
    object: fc.record({ metadata: fc.record({ name: fc.string({ unit: "grapheme" }) }) }),
  }),
  { maxLength: 8 },
);
const anyCuts = fc.array(fc.nat(2000), { maxLength: 12 });

describe("watch stream", () => {
  it("decodes the same events wherever the stream of lines is cut", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, anyCuts, async (events, cuts) => {
        const bytes = encodeText(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
        expect(await collect(cut(bytes, cuts))).toEqual(events as never);
      }),
    );
  });

  it("decodes the same events wherever the stream of frames is cut", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, anyCuts, async (events, cuts) => {
        const type = "application/vnd.kubernetes.protobuf;stream=watch";
        expect(await collect(cut(frames(events), cuts), type)).toEqual(events as never);
      }),
    );
  });

  it("leaves out managedFields, and nothing else, with any keys and other fields", async () => {
    // No backslash before a quote: JSON.parse of Node 26.10 reads the key "\"" as "\\" if an earlier object had that
    // key.
    const text = fc.constantFrom("}]", "]", '"managedFields":[{', '}],"a":{', "b\\c", '"', "a", '":{},"', ":", "null");
    const words = fc.array(text, { maxLength: 4 }).map((parts) => parts.join(""));
    const entry = fc.record({ manager: words, fieldsV1: fc.dictionary(words, fc.dictionary(words, fc.constant({}))) });
    const metadata = fc.record(
      { name: words, annotations: fc.dictionary(words, words), managedFields: fc.array(entry, { maxLength: 3 }) },
      { requiredKeys: ["name"] },
    );
    const spec = fc.record({ managedFields: fc.array(words), text: words }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(metadata, spec, async (meta, more) => {
        const event = { type: "ADDED", object: { spec: more, metadata: meta, status: { managedFields: [meta] } } };
        const [lean] = await collect([encodeText(`${JSON.stringify(event)}\n`)], undefined, true);
        const { managedFields, ...kept } = (lean?.object.metadata ?? {}) as { managedFields?: unknown };
        expect([undefined, ...[meta.managedFields].filter((given) => given !== undefined)]).toContainEqual(
          managedFields,
        );
        const { managedFields: _, ...wanted } = meta;
        expect({ ...lean, object: { ...lean?.object, metadata: kept } }).toEqual({
          ...event,
          object: { ...event.object, metadata: wanted },
        } as never);
      }),
    );
  });

  it("leaves managedFields out as a server writes them", async () => {
    const managedFields = [{ manager: "m", fieldsV1: { "f:spec": { 'k:{"name":"a"}': {} } } }, { manager: "n" }];
    const event = { type: "ADDED", object: { metadata: { name: "a", managedFields, uid: "u" }, spec: {} } };
    const [lean] = await collect([encodeText(`${JSON.stringify(event)}\n`)], undefined, true);
    expect(lean?.object).toEqual({ metadata: { name: "a", managedFields: undefined, uid: "u" }, spec: {} } as never);
  });

  it("takes an end in the middle of an event for a cut connection", async () => {
    await expect(collect([encodeText('{"type":"ADDED","obj')])).rejects.toThrow(TransportError);
    await expect(collect([frames([{ a: 1 }]).subarray(0, 6)], "application/vnd.kubernetes.protobuf")).rejects.toThrow(
      TransportError,
    );
  });

  it.each(["nonsense\n", '{"type":"ADDED"}\n', "null\n", '{"object":{}}\n'])("refuses %j", async (line) => {
    await expect(collect([encodeText(line)])).rejects.toThrow(DecodeError);
  });

  it("refuses an event without end", async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x20);
    await expect(collect(Array.from({ length: 17 }, () => chunk))).rejects.toThrow(/longer than/);
    const huge = new Uint8Array([0x7f, 0xff, 0xff, 0xff]);
    await expect(collect([huge], "application/vnd.kubernetes.protobuf")).rejects.toThrow(/longer than/);
  });

  it("passes the events of a server in this process through uncopied", async () => {
    const batch = [{ type: "ADDED", object: {} }];
    const whole = { contentType: "", protobuf: undefined, leavesOutManagedFields: false };
    const events = watchEvents({ kind: "events", batches: from([batch] as never) as never }, whole);
    for await (const received of events) expect(received).toBe(batch as never);
  });
});
