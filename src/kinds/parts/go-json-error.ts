// Go's encoding/json error for a text that is not a JSON object. The API quotes it for registry credentials.

import { goQuote } from "#api/go-text.ts";

/** The error of json.Unmarshal into a map; undefined if the text is an object or null. */
export function goJsonObjectError(text: string): string | undefined {
  const problem = new Scanner(text).document();
  if (problem !== undefined) return problem;
  const value: unknown = JSON.parse(text);
  if (value === null || (typeof value === "object" && !Array.isArray(value))) return undefined;
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}

class SyntaxProblem {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

const END = "unexpected end of JSON input";
const SPACE = /[ \t\r\n]/;

/** Scans one JSON text for the first invalid byte. */
class Scanner {
  readonly #text: string;
  #at = 0;
  constructor(text: string) {
    this.#text = text;
  }

  document(): string | undefined {
    try {
      this.#value("looking for beginning of value");
      this.#space();
      if (this.#at < this.#text.length) this.#fail("after top-level value");
      return undefined;
    } catch (problem) {
      if (problem instanceof SyntaxProblem) return problem.message;
      throw problem;
    }
  }

  #fail(context: string): never {
    const char = this.#text[this.#at];
    if (char === undefined) throw new SyntaxProblem(END);
    const printed = char === "'" ? `'\\''` : char === '"' ? `'"'` : `'${goQuote(char).slice(1, -1)}'`;
    throw new SyntaxProblem(`invalid character ${printed} ${context}`);
  }

  #space(): void {
    while (SPACE.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #value(context: string): void {
    this.#space();
    const char = this.#text[this.#at];
    if (char === "{") this.#object();
    else if (char === "[") this.#array();
    else if (char === '"') this.#string();
    else if (char === "-" || (char !== undefined && char >= "0" && char <= "9")) this.#number();
    else if (char === "t") this.#literal("true");
    else if (char === "f") this.#literal("false");
    else if (char === "n") this.#literal("null");
    else this.#fail(context);
  }

  #object(): void {
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === "}") {
      this.#at++;
      return;
    }
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail("looking for beginning of object key string");
      this.#string();
      this.#space();
      if (this.#text[this.#at] !== ":") this.#fail("after object key");
      this.#at++;
      this.#value("looking for beginning of value");
      this.#space();
      const next = this.#text[this.#at];
      if (next !== "," && next !== "}") this.#fail("after object key:value pair");
      this.#at++;
      if (next === "}") return;
    }
  }

  #array(): void {
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === "]") {
      this.#at++;
      return;
    }
    for (;;) {
      this.#value("looking for beginning of value");
      this.#space();
      const next = this.#text[this.#at];
      if (next !== "," && next !== "]") this.#fail("after array element");
      this.#at++;
      if (next === "]") return;
    }
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) throw new SyntaxProblem(END);
      if (char === '"') {
        this.#at++;
        return;
      }
      if (char < " ") this.#fail("in string literal");
      this.#at++;
      if (char === "\\") this.#escape();
    }
  }

  #escape(): void {
    const char = this.#text[this.#at];
    if (char === undefined || !'bfnrt\\/"u'.includes(char)) this.#fail("in string escape code");
    this.#at++;
    if (char !== "u") return;
    for (let i = 0; i < 4; i++) {
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? "")) this.#fail("in \\u hexadecimal character escape");
      this.#at++;
    }
  }

  #digits(context: string): void {
    if (!/[0-9]/.test(this.#text[this.#at] ?? "")) this.#fail(context);
    while (/[0-9]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #number(): void {
    if (this.#text[this.#at] === "-") this.#at++;
    if (this.#text[this.#at] === "0") this.#at++;
    else this.#digits("in numeric literal");
    if (this.#text[this.#at] === ".") {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (/[eE]/.test(this.#text[this.#at] ?? "")) {
      this.#at++;
      if (/[+-]/.test(this.#text[this.#at] ?? "")) this.#at++;
      this.#digits("in exponent of numeric literal");
    }
  }

  #literal(word: string): void {
    for (const [i, char] of [...word].entries()) {
      if (this.#text[this.#at] !== char) this.#fail(`in literal ${word} (expecting ${`'${word[i]}'`})`);
      this.#at++;
    }
  }
}
