// The warnings of one answer, as headers: each once, truncated and dropped when they are too long in total.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/warning.go; apimachinery/pkg/util/net, NewWarningHeader

const TOTAL_RUNES_MAX = 4096;
const CUT_RUNES = 256;
const CONTROL = /\p{Cc}/u;

export class Warnings {
  /** In order. */
  readonly headers: string[] = [];
  /** Created when needed: most answers have no warnings. */
  #texts: Set<string> | undefined;
  #writtenRunes = 0;
  #isCutting = false;

  add(text: string): void {
    if (text === "" || (this.#isCutting && this.#writtenRunes >= TOTAL_RUNES_MAX) || this.#texts?.has(text)) return;
    this.#texts ??= new Set();
    this.#texts.add(text);
    const shown = this.#isCutting ? cut(text) : text;
    if (CONTROL.test(shown)) return; // as upstream: control characters are not allowed in a header
    if (!this.#isCutting && this.#writtenRunes + runesIn(shown) > TOTAL_RUNES_MAX) this.#cutAll();
    else this.#write(shown);
  }

  #cutAll(): void {
    this.#isCutting = true;
    this.#writtenRunes = 0;
    this.headers.length = 0;
    for (const text of this.#texts ?? []) {
      const shown = cut(text);
      if (!CONTROL.test(shown)) this.#write(shown);
    }
  }

  #write(text: string): void {
    this.#writtenRunes += runesIn(text);
    this.headers.push(`299 - "${text.replace(/["\\]/g, "\\$&")}"`);
  }
}

/** Runes are code points. */
function runesIn(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function cut(text: string): string {
  return text.length <= CUT_RUNES ? text : [...text.slice(0, 2 * CUT_RUNES)].slice(0, CUT_RUNES).join("");
}
