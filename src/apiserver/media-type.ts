// Parses media types: Accept headers by preference, and the bare type of a Content-Type.
// Upstream: github.com/munnerz/goautoneg, ParseAccept; mime.ParseMediaType

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly params: ReadonlyMap<string, string>;
}

const MEDIA_RANGE = /^\s*([^/;\s]+)\/([^/;\s]+)\s*$/;

const PARSED_MAX = 100;
const parsed = new Map<string, readonly AcceptClause[]>();

/** Cached, because clients send few different headers. */
export function parseAccept(header: string): readonly AcceptClause[] {
  let clauses = parsed.get(header);
  if (clauses === undefined) {
    clauses = parseClauses(header);
    if (parsed.size === PARSED_MAX) parsed.clear();
    parsed.set(header, clauses);
  }
  return clauses;
}

function parseClauses(header: string): readonly AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(",")) {
    const [range = "", ...rest] = part.split(";");
    const match = range.trim() === "*" ? ["", "*", "*"] : MEDIA_RANGE.exec(range);
    if (match === null) continue;
    const params = new Map<string, string>();
    let quality = 1;
    for (const param of rest) {
      const equals = param.indexOf("=");
      if (equals < 0) continue;
      const name = param.slice(0, equals).trim();
      const value = param.slice(equals + 1).trim();
      if (name === "q") quality = Number.parseFloat(value) || 0;
      else params.set(name, value);
    }
    clauses.push({ type: match[1] as string, subtype: match[2] as string, quality, params });
  }
  return clauses.sort((a, b) => b.quality - a.quality || wildness(a) - wildness(b));
}

function wildness({ type, subtype }: AcceptClause): number {
  return (type === "*" ? 2 : 0) + (subtype === "*" ? 1 : 0);
}

/** "application/json" of "application/json; charset=utf-8"; undefined when it is not a media type. */
export function bareMediaType(header: string): string | undefined {
  const semicolon = header.indexOf(";");
  const bare = (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase();
  return /^[a-z0-9!#$&^_.+*-]+\/[a-z0-9!#$&^_.+*-]+$/.test(bare) ? bare : undefined;
}
