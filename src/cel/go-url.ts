// URLs parsed like Go's net/url, as far as schemas and CEL need them.
// Upstream: net/url, ParseRequestURI

export interface GoUrl {
  readonly scheme: string;
  readonly user: string;
  /** With the port. */
  readonly host: string;
  /** Decoded. */
  readonly path: string;
  readonly escapedPath: string;
  /** Without the question mark, still escaped. */
  readonly rawQuery: string;
}

/** Undefined: neither an absolute URI nor an absolute path. As in Go, a fragment is part of the path here. */
export function parseRequestUri(text: string): GoUrl | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Go refuses control characters
  if (text === "" || /[\u0000-\u001f\u007f]/.test(text)) return undefined;
  if (text === "*") return { scheme: "", user: "", host: "", path: "*", escapedPath: "*", rawQuery: "" };
  const schemeMatch = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  if (text.startsWith(":")) return undefined;
  const scheme = (schemeMatch?.[1] ?? "").toLowerCase();
  let rest = schemeMatch === null ? text : text.slice(schemeMatch[0].length);
  let rawQuery = "";
  const question = rest.indexOf("?");
  if (question >= 0) {
    rawQuery = rest.slice(question + 1);
    rest = rest.slice(0, question);
  }
  if (!rest.startsWith("/")) {
    // An opaque URI is accepted, a relative one is not.
    return scheme === "" ? undefined : { scheme, user: "", host: "", path: "", escapedPath: "", rawQuery };
  }
  let user = "";
  let host = "";
  if (scheme !== "" || !rest.startsWith("///")) {
    if (rest.startsWith("//")) {
      const slash = rest.indexOf("/", 2);
      let authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
      rest = slash < 0 ? "" : rest.slice(slash);
      const at = authority.lastIndexOf("@");
      if (at >= 0) {
        user = authority.slice(0, at);
        if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || unescapeUrl(user) === undefined) return undefined;
        authority = authority.slice(at + 1);
      }
      const parsed = parseHost(authority);
      if (parsed === undefined) return undefined;
      host = parsed;
    }
  }
  const path = unescapeUrl(rest);
  return path === undefined ? undefined : { scheme, user, host, path, escapedPath: escapePath(rest, path), rawQuery };
}

function parseHost(host: string): string | undefined {
  if (host.startsWith("[")) {
    const close = host.lastIndexOf("]");
    if (close < 0 || !/^(:[0-9]*)?$/.test(host.slice(close + 1))) return undefined;
    return unescapeHost(host);
  }
  const colon = host.lastIndexOf(":");
  if (colon >= 0 && !/^:[0-9]*$/.test(host.slice(colon))) return undefined;
  return unescapeHost(host);
}

/** Hosts may contain percent-encoded bytes above ASCII, and no other escapes. */
function unescapeHost(host: string): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(host)) return undefined;
  if (/%[0-7][0-9a-fA-F]/.test(host) && !host.startsWith("[")) return undefined;
  if (/[ "<>\\^`{|}]/.test(host) && !/^[^ \\^`{|}]*$/.test(host)) return undefined;
  return unescapeUrl(host);
}

/** Undefined: an invalid escape. */
export function unescapeUrl(text: string): string | undefined {
  if (!text.includes("%")) return text;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (let i = 0; i < text.length; ) {
    if (text[i] === "%") {
      bytes.push(Number.parseInt(text.slice(i + 1, i + 3), 16));
      i += 3;
    } else {
      const char = String.fromCodePoint(text.codePointAt(i) as number);
      bytes.push(...encoder.encode(char));
      i += char.length;
    }
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** The given form if it is a valid encoding, otherwise the default one. */
function escapePath(raw: string, path: string): string {
  if (/^[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%]*$/.test(raw)) return raw;
  return Array.from(new TextEncoder().encode(path), (byte) => {
    const char = String.fromCharCode(byte);
    return byte < 0x80 && /[A-Za-z0-9\-._~$&+,/:;=@]/.test(char)
      ? char
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

/** The query's values by key, each in order. Upstream: url.Values; invalid parts are left out. */
export function parseUrlQuery(rawQuery: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const part of rawQuery.split("&")) {
    if (part === "" || part.includes(";")) continue;
    const equals = part.indexOf("=");
    const key = unescapeUrl((equals < 0 ? part : part.slice(0, equals)).replaceAll("+", " "));
    const value = unescapeUrl((equals < 0 ? "" : part.slice(equals + 1)).replaceAll("+", " "));
    if (key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return values;
}
