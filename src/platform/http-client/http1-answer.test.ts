import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TransportError } from "#base/http.ts";
import { AnswerParser, HEAD_BYTES_MAX } from "./http1-answer.ts";
import type { AnswerHead } from "./http1-answer-head.ts";

interface Seen {
  head: AnswerHead | undefined;
  body: string;
  pieces: number;
  end: "open" | "end" | "more";
}

/** Each piece gets a new buffer, as from a socket, because the parser may write into it. */
function read(pieces: readonly string[], { method = "GET", isClosed = false, endsAtEnd = false } = {}): Seen {
  const seen: Seen = { head: undefined, body: "", pieces: 0, end: "open" };
  const parser = new AnswerParser({
    onHead: (head) => (seen.head = head),
    onBody(bytes) {
      expect(bytes.length).toBeGreaterThan(0);
      seen.body += Buffer.from(bytes).toString("latin1");
      seen.pieces++;
    },
    onEnd: (hasMore) => (seen.end = hasMore ? "more" : "end"),
  });
  parser.begin(method);
  for (const piece of pieces) if (!endsAtEnd || seen.end === "open") parser.feed(Buffer.from(piece, "latin1"));
  if (isClosed && seen.end === "open" && !parser.finish()) throw new TransportError("reset", "cut");
  return seen;
}

const lines = (...all: string[]): string => `${all.join("\r\n")}\r\n\r\n`;
const ok = "HTTP/1.1 200 OK";
const blanks = " \t".repeat(50_000);

interface Case {
  readonly answer: string;
  readonly method?: string;
  readonly isClosed?: boolean;
  readonly status?: number;
  readonly body?: string;
  readonly headers?: AnswerHead["headers"];
  readonly isReusable?: boolean;
  /** Too long to test a cut at every position. */
  readonly isLong?: boolean;
}

const answers: Readonly<Record<string, Case>> = {
  "a length": { answer: `${lines(ok, "Content-Length: 5")}hello`, body: "hello", headers: { "content-length": "5" } },
  "a length twice, the same": { answer: `${lines(ok, "content-length: 5", "content-length: 5")}hello`, body: "hello" },
  "an empty body": { answer: lines("HTTP/1.1 201 Created", "content-length:0"), status: 201 },
  "no reason": { answer: lines("HTTP/1.1 409", "content-length: 0"), status: 409 },
  chunks: {
    answer: `${lines(ok, "Transfer-Encoding: chunked")}5\r\nhello\r\n1\r\n \r\n00A\r\n0123456789\r\n0\r\n\r\n`,
    body: "hello 0123456789",
  },
  "chunks with extensions and trailers": {
    answer: `${lines(ok, "transfer-encoding: Chunked")}2;a=b;c="d"\r\nhe\r\n3 \r\nllo\r\n0;last\r\nX-A: b\r\nX-C: d\r\n\r\n`,
    body: "hello",
  },
  "a chunk full of line ends": {
    answer: `${lines(ok, "transfer-encoding: chunked")}6\r\n0\r\n\r\n\n\r\n0\r\n\r\n`,
    body: "0\r\n\r\n\n",
  },
  "until it is closed": { answer: `${lines(ok)}to the end`, isClosed: true, body: "to the end", isReusable: false },
  "nothing until it is closed": { answer: lines(ok), isClosed: true, isReusable: false },
  "interim answers": {
    answer: `${lines("HTTP/1.1 100 Continue")}${lines("HTTP/1.1 103 Early Hints", "link: x")}${lines(ok, "content-length: 2")}ok`,
    body: "ok",
    headers: { "content-length": "2" },
  },
  HEAD: { answer: lines(ok, "content-length: 12345"), method: "HEAD" },
  "HEAD, chunked": { answer: lines(ok, "transfer-encoding: chunked"), method: "HEAD" },
  "no content": { answer: lines("HTTP/1.1 204 No Content", "content-length: 7"), status: 204 },
  "not modified": { answer: lines("HTTP/1.1 304 Not Modified", "content-length: 7"), status: 304 },
  "a tunnel": { answer: lines("HTTP/1.1 200 Established"), method: "CONNECT" },
  "a refused tunnel": {
    answer: `${lines("HTTP/1.1 407 Proxy Authentication Required", "content-length: 2")}no`,
    method: "CONNECT",
    status: 407,
    body: "no",
  },
  "to be closed": { answer: lines(ok, "Connection: Close", "content-length: 0"), isReusable: false },
  "to be closed, among others": {
    answer: lines(ok, "connection: x , close", "content-length: 0"),
    isReusable: false,
  },
  "HTTP/1.0": { answer: `${lines("HTTP/1.0 200 OK", "content-length: 2")}ok`, body: "ok", isReusable: false },
  "HTTP/1.0, kept": {
    answer: `${lines("HTTP/1.0 200 OK", "content-length: 2", "connection: keep-alive")}ok`,
    body: "ok",
  },
  "HTTP/1.0 knows no chunks": {
    answer: `${lines("HTTP/1.0 200 OK", "transfer-encoding: chunked", "content-length: 5")}2\r\nok`,
    body: "2\r\nok",
    isReusable: false,
  },
  "long runs of blanks": {
    answer: `${lines(ok, `x: a${blanks}b${blanks}`, "content-length: 0")}`,
    headers: { x: `a${blanks}b`, "content-length": "0" },
    isLong: true,
  },
  "a length that chunks overrule": {
    answer: `${lines(ok, "transfer-encoding: chunked", "content-length: 3")}2\r\nok\r\n0\r\n\r\n`,
    body: "ok",
    isReusable: false,
  },
  headers: {
    answer: lines(
      ...[ok, "X-Mixed: Case ", "x-blank:", "x-tab:\ta\tb\t", "x-many: a", "X-Many: b", "x-many: c", "x-latin: \xe9"],
      ...["set-cookie: a=1", "constructor: x", "__proto__: y", "content-length: 0"],
    ),
    headers: Object.assign(Object.create(null), {
      "x-mixed": "Case",
      "x-blank": "",
      "x-tab": "a\tb",
      "x-many": ["a", "b", "c"],
      "x-latin": "\xe9",
      "set-cookie": ["a=1"],
      constructor: "x",
      ["__proto__"]: "y",
      "content-length": "0",
    }),
  },
  "several cookies": {
    answer: lines(ok, "set-cookie: a=1", "Set-Cookie: b=2", "content-length: 0"),
    headers: { "set-cookie": ["a=1", "b=2"], "content-length": "0" },
  },
};

function check(seen: Seen, { status = 200, body = "", headers, isReusable = true }: Case): void {
  expect([seen.head?.status, seen.body, seen.end, seen.head?.isReusable]).toEqual([status, body, "end", isReusable]);
  if (headers) expect(Object.entries(seen.head?.headers ?? {})).toEqual(Object.entries(headers));
}

describe("answers", () => {
  it.each(Object.entries(answers))("%s, in one piece, byte by byte, and cut once anywhere", (_, one) => {
    const { answer } = one;
    check(read([answer], one), one);
    if (one.isLong) return;
    check(read([...answer], one), one);
    for (let at = 1; at < answer.length; at++) check(read([answer.slice(0, at), answer.slice(at)], one), one);
  });

  it.each(Object.entries(answers))("%s, cut into random pieces", (_, one) => {
    const { answer } = one;
    fc.assert(
      fc.property(fc.array(fc.nat(answer.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), answer.length];
        check(
          read(
            places.slice(1).map((to, i) => answer.slice(places[i], to)),
            one,
          ),
          one,
        );
      }),
      { numRuns: 50 },
    );
  });

  it("any body in any chunks is read unchanged", () => {
    const chunk = fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 20 }), fc.array(fc.nat(), { maxLength: 20 }), (chunks, cuts) => {
        const framed = chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("");
        const answer = `${lines(ok, "transfer-encoding: chunked")}${framed}0\r\n\r\n`;
        const places = [0, ...cuts.map((cut) => cut % answer.length).toSorted((a, b) => a - b), answer.length];
        const seen = read(places.slice(1).map((to, i) => answer.slice(places[i], to)));
        expect([seen.body, seen.end]).toEqual([chunks.join(""), "end"]);
      }),
    );
  });

  it("delivers chunks that arrived together in one piece", () => {
    const answer = `${lines(ok, "transfer-encoding: chunked")}1\r\na\r\n1\r\nb\r\n1\r\nc\r\n`;
    expect(read([answer])).toMatchObject({ body: "abc", pieces: 1, end: "open" });
    expect(read([answer, "1\r\nd\r\n1\r\ne\r\n"])).toMatchObject({ body: "abcde", pieces: 2, end: "open" });
  });

  it("reports bytes after the answer", () => {
    expect(read([`${lines(ok, "content-length: 2")}okHTTP/1.1`]).end).toBe("more");
    expect(read([`${lines(ok, "transfer-encoding: chunked")}0\r\n\r\nx`]).end).toBe("more");
    expect(() => read([`${lines(ok, "content-length: 2")}ok`, "x"])).toThrow("not asked for");
  });
});

describe("malformed answers", () => {
  const size = (text: string): string => `${lines(ok, "transfer-encoding: chunked")}${text}`;
  const malformed: readonly (readonly [string, string])[] = [
    ["SSH-2.0-OpenSSH", 'malformed HTTP response "SSH-2.0-OpenSSH"'],
    ["\x00\x00\x12\x04", "malformed HTTP response"],
    [lines("HTTP/2 200"), "malformed HTTP response"],
    [lines("HTTP/1.1 2000 OK"), "malformed HTTP response"],
    [lines("HTTP/1.1 099"), "malformed HTTP response"],
    [lines("HTTP/1.1 200 \0"), "malformed HTTP response"],
    ["HTTP/1.1 200 OK\n\n", "does not end with CR LF"],
    ["HTTP/1.1 200 OK\r\nx: y\n", "does not end with CR LF"],
    [lines(ok, "no colon"), 'malformed HTTP header "no colon'],
    [lines(ok, ": no name"), "malformed HTTP header"],
    [lines(ok, "a name: x"), "malformed HTTP header"],
    [lines(ok, "name : x"), "malformed HTTP header"],
    [lines(ok, "a: b", " folded"), "malformed HTTP header"],
    [lines(ok, "a: b\rc: d"), "malformed HTTP header"],
    [lines(ok, "a: b\0"), "malformed HTTP header"],
    [lines(ok, "a: b\x7f"), "malformed HTTP header"],
    [lines(ok, `a: ${blanks}\0`), "malformed HTTP header"],
    [lines(ok, "content-length: x"), 'bad Content-Length "x"'],
    [lines(ok, "content-length: -1"), "bad Content-Length"],
    [lines(ok, "content-length: +1"), "bad Content-Length"],
    [lines(ok, "content-length: 1e3"), "bad Content-Length"],
    [lines(ok, "content-length: 9999999999999999"), "bad Content-Length"],
    [lines(ok, "content-length: ", "transfer-encoding: chunked"), 'bad Content-Length ""'],
    [lines("HTTP/1.1 204 No Content", "content-length: x"), "bad Content-Length"],
    [lines("HTTP/1.1 103 Early Hints", "transfer-encoding: x"), "unsupported transfer encoding"],
    [lines(ok, "content-length: 1", "content-length: 2"), 'bad Content-Length ["1","2"]'],
    [lines(ok, "transfer-encoding: gzip, chunked"), "unsupported transfer encoding"],
    [lines(ok, "transfer-encoding: chunked", "transfer-encoding: chunked"), "unsupported transfer encoding"],
    [lines("HTTP/1.1 101 Switching Protocols", "upgrade: h2c"), "switched to a protocol"],
    [size("x\r\n"), "has no size"],
    [size("\r\n"), "has no size"],
    [size("-1\r\n"), "has no size"],
    [size("1x\r\n"), "is not a number"],
    [size("1\n"), "is not a number"],
    [size("1 ;x\r\n"), "is not a number"],
    [size("1 1\r\n"), "is not a number"],
    [size("1;x\n"), "is not a number"],
    [size("1\r\naXX"), "malformed"],
    [size("1\r\na\rX"), "malformed"],
    [size("1\rX"), "malformed"],
    [size("0\r\n\n"), "malformed"],
    [size("0\r\n\rX"), "malformed"],
    [size("0\r\nno colon\r\n"), "malformed HTTP trailer"],
    [size("0\r\nx: y\n"), "malformed HTTP trailer"],
    [size("0\r\nx: y\r\n z\r\n"), "malformed HTTP trailer"],
    [size("10000000000000\r\n"), "too large"],
    [size(`1;${"x".repeat(5000)}`), "too long"],
    [size(`0\r\n${"x: y\r\n".repeat(60_000)}`), "trailers exceed"],
    [`HTTP/1.1 200 OK\r\nx: ${"y".repeat(HEAD_BYTES_MAX)}`, `exceeds ${HEAD_BYTES_MAX} bytes`],
    [lines(ok, `x: ${"y".repeat(HEAD_BYTES_MAX)}`), `exceeds ${HEAD_BYTES_MAX} bytes`],
    [lines("HTTP/1.1 103 Early Hints", `x: ${"y".repeat(HEAD_BYTES_MAX / 4)}`).repeat(5), "exceeds"],
  ];

  it.each(malformed)("%j", (text, message) => {
    expect(() => read([text.slice(0, 20), text.slice(20)])).toThrow(message);
    expect(() => read([text])).toThrow(TransportError);
    if (text.length < 1000) expect(() => read([...text])).toThrow(message.replace(/ "SSH.*/, ""));
  });

  it("an end that is too early", () => {
    for (const { answer, method = "GET", isClosed } of Object.values(answers)) {
      if (isClosed) continue;
      const bodyless = answer.indexOf("\r\n\r\n") + 4;
      for (const at of [0, 1, bodyless - 1, answer.length - 1]) {
        expect(() => read([answer.slice(0, at)], { method, isClosed: true })).toThrow("cut");
      }
    }
  });

  it("mutated answers give the same answer or error however they are cut", () => {
    const outcome = (pieces: readonly string[], method: string): unknown => {
      try {
        const { head, body } = read(pieces, { method, isClosed: true, endsAtEnd: true });
        return [head, body];
      } catch (error) {
        expect(error).toBeInstanceOf(TransportError);
        return "refused";
      }
    };
    const short = Object.values(answers).filter(({ isLong }) => !isLong);
    const odd = ["\r", "\n", "\r\n", " ", "\t", ":", ";", "0", "f", "\0", "\x80", "HTTP/1.1 100 Continue\r\n\r\n"];
    const change = fc.record({ at: fc.nat(), removed: fc.nat(3), added: fc.constantFrom("", ...odd) });
    fc.assert(
      fc.property(fc.constantFrom(...short), fc.array(change, { minLength: 1, maxLength: 4 }), (one, changes) => {
        let text = one.answer;
        for (const { at, removed, added } of changes) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + added + text.slice(place + removed);
        }
        const { method = "GET" } = one;
        const half = text.length >> 1;
        const expected = outcome([text], method);
        expect(outcome([...text], method)).toEqual(expected);
        expect(outcome([text.slice(0, half), text.slice(half)], method)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("noise is refused", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary-ascii", maxLength: 60 }),
      fc.constantFrom(...Object.values(answers).flatMap(({ answer, isLong }) => (isLong ? [] : [answer]))),
      fc.constantFrom("\r\n", "\r\n\r\n", "0", "f", "content-length: 3\r\n", "transfer-encoding: chunked\r\n"),
    );
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (pieces) => {
        try {
          read(pieces);
        } catch (error) {
          expect(error).toBeInstanceOf(TransportError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
