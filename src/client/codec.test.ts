// Decoding and encoding of bodies, in every form that a transport may deliver.

import { describe, expect, it } from "vitest";
import type { HttpBody } from "#base/http.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import {
  decodeBytes,
  decodeJson,
  decodeText,
  discardBody,
  encodeText,
  type ProtobufCodec,
  readBytes,
} from "#client/codec.ts";
import { createClient } from "#client/create-client.ts";
import { DecodeError } from "#client/errors.ts";
import { jsonResponse, scriptedTransport } from "#client/testing.ts";

/** A body in chunks that records how many chunks were read and whether it was closed. */
function pieces(...texts: string[]) {
  const seen = { read: 0, isClosed: false };
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (const text of texts) {
        seen.read += text.length;
        yield encodeText(text);
      }
    } finally {
      seen.isClosed = true;
    }
  }
  const body: HttpBody = { kind: "stream", chunks: read() };
  return { body, seen };
}

function noEvents() {
  const seen = { isClosed: false };
  const batches = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: true as const, value: undefined }),
      return: async () => {
        seen.isClosed = true;
        return { done: true as const, value: undefined };
      },
    }),
  };
  const body: HttpBody = { kind: "events", batches };
  return { body, seen };
}

describe("whole bodies", () => {
  it.each<[string, HttpBody, string]>([
    ["bytes", { kind: "bytes", bytes: encodeText("{}") }, "{}"],
    ["a stream", pieces('{"a"', ":1", "}").body, '{"a":1}'],
    ["a value", { kind: "object", value: { a: 1 } }, '{"a":1}'],
  ])("are read from %s", async (_, body, text) => {
    expect(decodeText(await readBytes(body))).toBe(text);
  });

  it("are not read from a watch", async () => {
    expect(await readBytes(noEvents().body).catch((error: unknown) => error)).toBeInstanceOf(DecodeError);
  });
});

describe("bodies that are not needed", () => {
  it("are read to their end when they are short, so that the connection can be used again", async () => {
    const { body, seen } = pieces("a".repeat(1000), "b".repeat(1000));
    await discardBody(body);
    expect(seen).toEqual({ read: 2000, isClosed: true });
  });

  it("are cut off when they are long", async () => {
    const { body, seen } = pieces("a".repeat(2000), "b".repeat(48), "c", "d");
    await discardBody(body);
    expect(seen).toEqual({ read: 2048, isClosed: true });
  });

  it("are closed when they are watches, and ignored when they are already complete", async () => {
    const { body, seen } = noEvents();
    await discardBody(body);
    await discardBody({ kind: "bytes", bytes: encodeText("x") });
    expect(seen.isClosed).toBe(true);
  });
});

describe("content types", () => {
  const protobuf = { decode: () => "from protobuf" } as Partial<ProtobufCodec> as ProtobufCodec;
  const decoded = (contentType: string, codec?: ProtobufCodec): unknown => {
    try {
      return decodeBytes(encodeText('{"a":1}'), contentType, codec);
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each(["", "application/json", "application/json; charset=utf-8", "application/vnd.example+json"])(
    "%j is JSON",
    (contentType) => expect(decoded(contentType, protobuf)).toEqual({ a: 1 }),
  );

  it("integers are exact both ways, in answers, watches and requests", async () => {
    const exact = { a: 9223372036854775807n, b: [-9007199254740993n, 1] };
    const text = '{"a":9223372036854775807,"b":[-9007199254740993,1]}';
    expect(decodeBytes(encodeText(text), "application/json", undefined)).toEqual(exact);
    expect(decodeJson(text)).toEqual(exact);
    expect(decodeText(await readBytes({ kind: "object", value: exact }))).toBe(text);
  });

  it("protobuf needs its codec, and anything else is refused", () => {
    const type = "application/vnd.kubernetes.protobuf";
    expect(decoded(type, protobuf)).toBe("from protobuf");
    expect(decoded(type)).toBe(`serializer for ${type} doesn't exist`);
    expect(decoded("text/plain", protobuf)).toBe("serializer for text/plain doesn't exist");
  });
});

describe("raw requests", () => {
  const client = (direct: boolean) => {
    const transport = scriptedTransport(() =>
      direct ? { status: 200, headers: {}, body: { kind: "object", value: { a: 1 } } } : jsonResponse({ a: 1 }, 201),
    );
    return { transport, client: createClient({ transport, clock: testClock(), userAgent: "test", direct }) };
  };

  it("send what they are given, and hand back bytes", async () => {
    const { client: ours, transport } = client(false);
    const body = encodeText("x");
    const sent = { method: "POST", path: "/p", query: "q=1", contentType: "text/plain", body };
    const { status, bytes } = await ours.raw(sent, neverAborted());
    expect([status, decodeText(bytes)]).toEqual([201, '{"a":1}']);
    expect(transport.requests[0]).toMatchObject({ method: "POST", path: "/p", query: "q=1", body: { bytes: body } });
    expect(transport.requests[0]?.headers["content-type"]).toBe("text/plain");
  });

  it("take any answer, JSON first, also from a server in this process", async () => {
    const { client: ours, transport } = client(true);
    const { bytes, value } = await ours.raw({ method: "GET", path: "/version" }, neverAborted());
    expect(decodeText(bytes)).toBe('{"a":1}');
    expect(value).toEqual({ a: 1 });
    expect(transport.requests[0]?.headers).toEqual({ accept: "application/json, */*", "user-agent": "test" });
    expect(transport.requests[0]).not.toHaveProperty("body");
  });
});
