import { describe, expect, it } from "vitest";
import { BodyStream } from "./http-body-stream.ts";

function subject() {
  const calls: string[] = [];
  let refusal: unknown;
  const stream = new BodyStream({
    pause: () => calls.push("pause"),
    resume: () => calls.push("resume"),
    leave: () => calls.push("leave"),
    refusal: () => refusal,
  });
  return { stream, calls, refuse: (reason: unknown) => (refusal = reason) };
}

const piece = (size: number): Uint8Array => new Uint8Array(size);
const lengthOf = async (next: Promise<IteratorResult<Uint8Array>>): Promise<number> => {
  const { done, value } = await next;
  return done ? -1 : value.length;
};

describe("a body that is read while it arrives", () => {
  it("yields chunks in order, then waits, then ends", async () => {
    const { stream, calls } = subject();
    stream.push(piece(1));
    stream.push(piece(2));
    expect([await lengthOf(stream.next()), await lengthOf(stream.next())]).toEqual([1, 2]);
    const waiting = lengthOf(stream.next());
    stream.push(piece(3));
    expect(await waiting).toBe(3);
    const last = lengthOf(stream.next());
    stream.end();
    expect([await last, await lengthOf(stream.next())]).toEqual([-1, -1]);
    expect(calls).toEqual([]);
  });

  it("pauses the source once while too much is unread", async () => {
    const { stream, calls } = subject();
    for (let i = 0; i < 6; i++) stream.push(piece(100_000));
    expect(calls).toEqual(["pause"]);
    for (let i = 0; i < 5; i++) await stream.next();
    expect(calls).toEqual(["pause"]);
    await stream.next();
    expect(calls).toEqual(["pause", "resume"]);
    stream.push(piece(300_000));
    expect(calls).toEqual(["pause", "resume", "pause"]);
  });

  it("an error drops unread chunks; an end does not", async () => {
    const failed = subject().stream;
    failed.push(piece(1));
    failed.end(new Error("cut"));
    await expect(failed.next()).rejects.toThrow("cut");
    const ended = subject().stream;
    ended.push(piece(1));
    ended.end();
    expect([await lengthOf(ended.next()), await lengthOf(ended.next())]).toEqual([1, -1]);
  });

  it("an abort drops unread chunks, even after the end", async () => {
    const { stream, refuse } = subject();
    stream.push(piece(1));
    stream.end();
    refuse(new Error("stop"));
    await expect(stream.next()).rejects.toThrow("stop");
  });

  it("return() ends the source and a pending read, only once", async () => {
    const { stream, calls } = subject();
    const waiting = lengthOf(stream.next());
    await stream.return();
    await stream.return();
    stream.push(piece(1));
    expect([await waiting, await lengthOf(stream.next())]).toEqual([-1, -1]);
    expect(calls).toEqual(["leave"]);
  });

  it("has one reader at a time", async () => {
    const { stream } = subject();
    void stream.next();
    await expect(stream.next()).rejects.toThrow("one reader");
  });
});
