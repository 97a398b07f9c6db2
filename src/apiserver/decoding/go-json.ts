// JSON read character by character, as Go reads it. Slower than JSON.parse, so it is only asked for
// what that cannot tell: Go's wording of a syntax error, and which keys occur twice.
// Upstream: encoding/json, scanner.go; sigs.k8s.io/json, strict decoding

export class GoJsonError extends Error {
  override readonly name = "GoJsonError";
}

const DEPTH_MAX = 10_000;
const SPACE = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings contain none
const PLAIN = /[^"\\\u0000-\u001f]*/y;

/** Throws a GoJsonError with Go's text when it is not JSON. The duplicates are paths such as "spec.containers[0].name". */
export function readGoJson(text: string): { readonly duplicates: readonly string[] } {
  const reader = new Reader(text);
  reader.value("", 0);
  reader.end();
  return { duplicates: reader.duplicates };
}

class Reader {
  readonly duplicates: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
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
      if (seen.has(key)) this.duplicates.push(keyPath);
      seen.add(key);
      if (this.#peek() !== ":") throw this.#unexpected("after object key");
      this.#at++;
      this.value(keyPath, depth + 1);
      const next = this.#peek();
      if (next !== "," && next !== "}") throw this.#unexpected("after object key:value pair");
      this.#at++;
      if (next === "}") return;
    }
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

  /** The next character that is no space, "" at the end. */
  #peek(): string {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
    return this.#text.charAt(this.#at);
  }

  #unexpected(where: string): GoJsonError {
    const char = this.#text.charAt(this.#at);
    if (char === "") return new GoJsonError("unexpected end of JSON input");
    return new GoJsonError(`invalid character ${quoteChar(char)} ${where}`);
  }
}

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
  return code < 0x20 || code === 0x7f ? `'\\x${code.toString(16).padStart(2, "0")}'` : `'${char}'`;
}
