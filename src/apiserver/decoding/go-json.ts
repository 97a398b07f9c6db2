// Parses JSON character by character, like Go. Slower than JSON.parse, so it is used only for Go's syntax errors and
// for duplicate keys.
// Upstream: encoding/json, scanner.go; sigs.k8s.io/json, strict decoding

export class GoJsonError extends Error {
  override readonly name = "GoJsonError";
}

const DEPTH_MAX = 10_000;
const SPACE = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings contain none
const PLAIN = /[^"\\\u0000-\u001f]*/y;

/** Throws a GoJsonError with Go's message if the text is not JSON. `isBytes`: each character is one byte. */
export function readGoJson(text: string, isBytes = false): void {
  const reader = new Reader(text, new Set(), isBytes);
  reader.value("", 0);
  reader.end();
}

/**
 * The errors of a strict decoder for valid JSON, in the order of the text: unknown fields, given as paths such as
 * "spec.containers[0].foo", and duplicate fields. The contents of unknown fields are not checked.
 */
export function strictGoErrors(text: string, unknownFields: readonly string[]): readonly string[] {
  const reader = new Reader(text, new Set(unknownFields));
  reader.value("", 0);
  return reader.errors;
}

class Reader {
  readonly errors: string[] = [];
  readonly #text: string;
  readonly #unknownFields: ReadonlySet<string>;
  readonly #isBytes: boolean;
  #isSilent = false;
  #at = 0;

  constructor(text: string, unknownFields: ReadonlySet<string>, isBytes = false) {
    this.#text = text;
    this.#unknownFields = unknownFields;
    this.#isBytes = isBytes;
  }

  end(): void {
    if (this.#peek() !== "") throw this.#unexpected("after top-level value");
  }

  value(path: string, depth: number): void {
    if (depth > DEPTH_MAX) throw new GoJsonError("exceeded max depth");
    const char = this.#peek();
    if (char === "{") this.#object(path, depth);
    else if (char === "[") this.#array(path, depth);
    else if (char === '"') this.#string();
    else if (char === "-" || (char >= "0" && char <= "9")) this.#number();
    else if (char === "t") this.#literal("true");
    else if (char === "f") this.#literal("false");
    else if (char === "n") this.#literal("null");
    else throw this.#unexpected("looking for beginning of value");
  }

  #object(path: string, depth: number): void {
    this.#at++;
    if (this.#peek() === "}") {
      this.#at++;
      return;
    }
    const seen = new Set<string>();
    for (;;) {
      if (this.#peek() !== '"') throw this.#unexpected("looking for beginning of object key string");
      const key = this.#string();
      const keyPath = path === "" ? key : `${path}.${key}`;
      const isKnown = this.#isSilent || !this.#report(key, keyPath, seen);
      if (this.#peek() !== ":") throw this.#unexpected("after object key");
      this.#at++;
      const wasSilent = this.#isSilent;
      this.#isSilent = wasSilent || !isKnown;
      this.value(keyPath, depth + 1);
      this.#isSilent = wasSilent;
      const next = this.#peek();
      if (next !== "," && next !== "}") throw this.#unexpected("after object key:value pair");
      this.#at++;
      if (next === "}") return;
    }
  }

  /** True if the field is unknown. */
  #report(key: string, path: string, seen: Set<string>): boolean {
    const isUnknown = this.#unknownFields.has(path);
    if (seen.has(key)) this.errors.push(`duplicate field "${path}"`);
    else if (isUnknown) this.errors.push(`unknown field "${path}"`);
    seen.add(key);
    return isUnknown;
  }

  #array(path: string, depth: number): void {
    this.#at++;
    if (this.#peek() === "]") {
      this.#at++;
      return;
    }
    for (let index = 0; ; index++) {
      this.value(`${path}[${index}]`, depth + 1);
      const next = this.#peek();
      if (next !== "," && next !== "]") throw this.#unexpected("after array element");
      this.#at++;
      if (next === "]") return;
    }
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      PLAIN.lastIndex = this.#at;
      PLAIN.test(this.#text);
      this.#at = PLAIN.lastIndex;
      const char = this.#text.charAt(this.#at);
      if (char === "") throw this.#unexpected("");
      if (char !== '"' && char !== "\\") throw this.#unexpected("in string literal");
      this.#at++;
      if (char === '"') return JSON.parse(this.#text.slice(start, this.#at)) as string;
      this.#escape();
    }
  }

  #escape(): void {
    const char = this.#text.charAt(this.#at);
    if (char === "" || !'bfnrt\\/"u'.includes(char)) throw this.#unexpected("in string escape code");
    this.#at++;
    if (char !== "u") return;
    for (let i = 0; i < 4; i++) {
      if (!/[0-9A-Fa-f]/.test(this.#text.charAt(this.#at))) {
        throw this.#unexpected("in \\u hexadecimal character escape");
      }
      this.#at++;
    }
  }

  #number(): void {
    if (this.#char() === "-") this.#at++;
    if (this.#char() === "0") this.#at++;
    else if (!this.#digits()) throw this.#unexpected("in numeric literal");
    if (this.#char() === ".") {
      this.#at++;
      if (!this.#digits()) throw this.#unexpected("after decimal point in numeric literal");
    }
    if (this.#char() !== "e" && this.#char() !== "E") return;
    this.#at++;
    if (this.#char() === "+" || this.#char() === "-") this.#at++;
    if (!this.#digits()) throw this.#unexpected("in exponent of numeric literal");
  }

  #digits(): boolean {
    const start = this.#at;
    while (this.#char() >= "0" && this.#char() <= "9") this.#at++;
    return this.#at > start;
  }

  #literal(word: string): void {
    for (let i = 0; i < word.length; i++) {
      if (this.#char() !== word[i]) throw this.#unexpected(`in literal ${word} (expecting '${word[i]}')`);
      this.#at++;
    }
  }

  #char(): string {
    return this.#text.charAt(this.#at);
  }

  /** The next non-space character; "" at the end. */
  #peek(): string {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
    return this.#text.charAt(this.#at);
  }

  #unexpected(where: string): GoJsonError {
    const char = this.#text.charAt(this.#at);
    if (char === "") return new GoJsonError("unexpected end of JSON input");
    return new GoJsonError(`invalid character ${quoteChar(this.#isBytes ? char : firstByte(char))} ${where}`);
  }
}

/** Go works on bytes, and prints the invalid byte as a character. */
const firstByte = (char: string): string => String.fromCharCode(new TextEncoder().encode(char)[0] ?? 0);

function quoteChar(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return "'\"'";
  const code = char.charCodeAt(0);
  const named: Record<string, string> = {
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
    "\v": "\\v",
    "\\": "\\\\",
  };
  if (named[char] !== undefined) return `'${named[char]}'`;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `'\\x${hex.padStart(2, "0")}'`;
  return (code >= 0x80 && code <= 0xa0) || code === 0xad ? `'\\u${hex.padStart(4, "0")}'` : `'${char}'`;
}
