// Random schemas with random rules that fit their types: their estimated cost decides whether a definition is accepted.

import type { Rng } from "#base/rng.ts";
import { chance, pick } from "./fuzz-random.ts";
import {
  fieldsIn,
  INT,
  type Kind,
  type KindName,
  kindAt,
  kindOf,
  kindsIn,
  optionally,
  type Schema,
  type Scope,
  STRING,
  waysTo,
} from "./rule-kinds.ts";

const SCALARS: readonly KindName[] = [
  "int",
  "double",
  "bool",
  "string",
  "string",
  "string",
  "bytes",
  "duration",
  "timestamp",
  "dyn",
];
const FIELDS = ["a", "b", "c-d", "e", "in", "name"];
const LENGTHS = [0, 1, 3, 10, 50, 63, 250, 1000, 40_000];
const COUNTS = [0, 1, 2, 5, 10, 30, 100, 1000];

export class RuleMaker {
  readonly #rng: Rng;
  #variables = 0;

  constructor(rng: Rng) {
    this.#rng = rng;
  }

  /** A schema of an object, with some rules. */
  root(): Schema {
    return this.#withRules(this.#object(0), 60);
  }

  #withRules(schema: Schema, percent: number): Schema {
    if (!chance(this.#rng, percent)) return schema;
    const rules = Array.from({ length: 1 + this.#rng.below(2) }, () => ({
      rule: this.rule(schema),
      ...(chance(this.#rng, 15) && { messageExpression: this.#string([{ name: "self", kind: kindOf(schema) }], 2) }),
    }));
    return { ...schema, "x-kubernetes-validations": rules };
  }

  #schema(depth: number): Schema {
    const draw = this.#rng.below(10);
    const wanted = depth > 3 || draw < 5 ? pick(this.#rng, SCALARS) : draw < 7 ? "list" : draw < 8 ? "map" : "object";
    const percent = wanted === "dyn" ? 0 : 8;
    return this.#withRules(this.#plain(wanted, depth), percent);
  }

  #plain(kind: KindName, depth: number): Schema {
    switch (kind) {
      case "int":
        return { type: "integer" };
      case "double":
        return { type: "number" };
      case "bool":
        return { type: "boolean" };
      case "duration":
        return { type: "string", format: "duration" };
      case "timestamp":
        return { type: "string", format: pick(this.#rng, ["date", "date-time"]) };
      case "bytes":
        return { type: "string", format: "byte", ...this.#limit("maxLength", LENGTHS) };
      case "dyn":
        return { "x-kubernetes-int-or-string": true, ...this.#limit("maxLength", LENGTHS) };
      case "string":
        return chance(this.#rng, 15)
          ? { type: "string", enum: ["red", "blue", "ultramarine"] }
          : { type: "string", ...this.#limit("maxLength", LENGTHS) };
      case "list":
        return { type: "array", items: this.#schema(depth + 1), ...this.#limit("maxItems", COUNTS) };
      case "map":
        return {
          type: "object",
          additionalProperties: this.#schema(depth + 1),
          ...this.#limit("maxProperties", COUNTS),
        };
      default:
        return this.#object(depth + 1);
    }
  }

  #object(depth: number): Schema {
    const names = FIELDS.filter(() => chance(this.#rng, depth === 0 ? 80 : 50));
    const properties = Object.fromEntries(names.map((name) => [name, this.#schema(depth)]));
    const required = names.filter(() => chance(this.#rng, 30));
    return { type: "object", properties, ...(required.length > 0 && { required }) };
  }

  #limit(name: string, values: readonly number[]): Schema {
    return chance(this.#rng, 85) ? { [name]: pick(this.#rng, values) } : {};
  }

  /** A rule for values of a schema. */
  rule(schema: Schema): string {
    // Long rules soon contain a part of unknown size, and then always cost too much.
    return this.#bool([{ name: "self", kind: kindOf(schema) }], this.#rng.below(4));
  }

  /** An expression of a type, from the variables in scope if one fits. */
  #some(scope: Scope, kind: Kind, depth: number): string {
    const found = waysTo(scope, kind);
    if (found.length > 0 && (depth > 3 || chance(this.#rng, 60))) return pick(this.#rng, found);
    switch (kind.name) {
      case "int":
        return this.#int(scope, depth);
      case "bool":
        return this.#bool(scope, depth);
      case "string":
        return this.#string(scope, depth);
      case "list":
        return this.#list(scope, kind.item as Kind, depth);
      case "double":
        return pick(this.#rng, ["1.5", `double(${this.#some(scope, INT, depth + 1)})`]);
      case "bytes":
        return pick(this.#rng, ["b'abc'", `bytes(${this.#some(scope, STRING, depth + 1)})`]);
      case "duration":
        return pick(this.#rng, ["duration('1h')", `duration(${this.#some(scope, STRING, depth + 1)})`]);
      case "timestamp":
        return pick(this.#rng, [
          "timestamp('2020-01-01T00:00:00Z')",
          `timestamp(${this.#some(scope, STRING, depth + 1)})`,
        ]);
      case "map": {
        const item = kind.item as Kind;
        return `{${this.#some(scope, STRING, depth + 1)}: ${this.#some(scope, item, depth + 1)}}`;
      }
      default:
        return found.length > 0 ? pick(this.#rng, found) : `dyn(${this.#some(scope, STRING, depth + 1)})`;
    }
  }

  #bool(scope: Scope, depth: number): string {
    const some = (kind: Kind): string => this.#some(scope, kind, depth + 1);
    if (depth > 4) return pick(this.#rng, ["true", "1 < 2"]);
    const text = (): string => some(STRING);
    switch (this.#rng.below(22)) {
      case 0:
      case 1:
        return `${this.#bool(scope, depth + 1)} ${pick(this.#rng, ["&&", "||"])} ${this.#bool(scope, depth + 1)}`;
      case 2:
        return `(${this.#bool(scope, depth + 1)} ? ${this.#bool(scope, depth + 1)} : ${this.#bool(scope, depth + 1)})`;
      case 3:
      case 4: {
        const kind = pick(this.#rng, kindsIn(scope));
        return `${some(kind)} ${pick(this.#rng, ["==", "!="])} ${some(kind)}`;
      }
      case 5:
        return `${text()} ${pick(this.#rng, ["<", "<=", ">", ">="])} ${text()}`;
      case 6:
        return `${some(INT)} ${pick(this.#rng, ["<", "<=", ">", ">=", "=="])} ${some(INT)}`;
      case 7:
        return `${text()}.${pick(this.#rng, ["contains", "startsWith", "endsWith"])}(${text()})`;
      case 8:
        return `${text()}.matches(${chance(this.#rng, 80) ? "'^[a-z]+(-[a-z]+)*$'" : text()})`;
      case 9:
        return `${pick(this.#rng, ["isQuantity", "isIP", "isCIDR", "isURL", "isSemver", "ip.isCanonical"])}(${text()})`;
      case 10:
        return pick(this.#rng, [
          `quantity(${text()}).isLessThan(quantity(${text()}))`,
          `quantity(${text()}) ${pick(this.#rng, ["==", "!="])} quantity('1Gi')`,
          `url(${text()}) == url(${text()})`,
          `ip(${text()}) == ip(${text()})`,
          `cidr(${text()}).containsIP(${chance(this.#rng, 50) ? text() : `ip(${text()})`})`,
          `cidr(${text()}).containsCIDR(${chance(this.#rng, 50) ? text() : `cidr(${text()}).masked()`})`,
          `semver(${text()}).compareTo(semver(${text()})) > 0`,
          `!format.${pick(this.#rng, ["dns1123Label", "uri", "uuid"])}().validate(${text()}).hasValue()`,
          `format.dns1123Label() == format.uri()`,
        ]);
      case 11: {
        const list = this.#some(scope, { name: "list", item: STRING }, depth + 1);
        return `sets.${pick(this.#rng, ["contains", "equivalent", "intersects"])}(${list}, ${some({ name: "list", item: STRING })})`;
      }
      case 12:
        return `${text()} in ${some({ name: "list", item: STRING })}`;
      case 13:
        return `${some({ name: "list", item: pick(this.#rng, [STRING, INT]) })}.isSorted()`;
      case 14: {
        const ways = fieldsIn(scope);
        return ways.length === 0 ? "true" : `has(${pick(this.#rng, ways)})`;
      }
      case 15: {
        const ways = fieldsIn(scope);
        return ways.length === 0 ? "true" : `${optionally(pick(this.#rng, ways))}.hasValue()`;
      }
      default:
        return this.#loop(scope, depth);
    }
  }

  #loop(scope: Scope, depth: number): string {
    const ranges = [...waysTo(scope, { name: "list" }), ...waysTo(scope, { name: "map" })];
    const isMade = ranges.length === 0 || chance(this.#rng, 20);
    const range = isMade ? this.#list(scope, STRING, depth + 1) : pick(this.#rng, ranges);
    const kind = isMade ? { name: "list" as const, item: STRING } : (kindAt(scope, range) as Kind);
    const macro = pick(this.#rng, ["all", "exists", "exists_one"]);
    const item = kind.item as Kind;
    const one = this.#variable();
    if (chance(this.#rng, 20)) {
      const two = this.#variable();
      const keys = kind.name === "map" ? STRING : INT;
      const inner = this.#bool([...scope, { name: one, kind: keys }, { name: two, kind: item }], depth + 1);
      return `${range}.${macro}(${one}, ${two}, ${inner})`;
    }
    const inner = this.#bool([...scope, { name: one, kind: kind.name === "map" ? STRING : item }], depth + 1);
    return `${range}.${macro}(${one}, ${inner})`;
  }

  #variable(): string {
    return `v${this.#variables++}`;
  }

  #int(scope: Scope, depth: number): string {
    if (depth > 4) return "7";
    const some = (kind: Kind): string => this.#some(scope, kind, depth + 1);
    const list = (item: Kind): string => some({ name: "list", item });
    switch (this.#rng.below(7)) {
      case 0:
        return String(this.#rng.below(20));
      case 1:
        return `size(${some(STRING)})`;
      case 2:
        return `${list(pick(this.#rng, kindsIn(scope)))}.size()`;
      case 3:
        return `${some(STRING)}.${pick(this.#rng, ["indexOf", "lastIndexOf"])}(${some(STRING)})`;
      case 4:
        return `${list(STRING)}.indexOf(${some(STRING)})`;
      case 5:
        return `${list(INT)}.${pick(this.#rng, ["sum", "max", "min"])}()`;
      default:
        return `(${some(INT)} + int(${some(STRING)}))`;
    }
  }

  #string(scope: Scope, depth: number): string {
    if (depth > 4) return "'x'";
    const some = (kind: Kind): string => this.#some(scope, kind, depth + 1);
    const list = (): string => some({ name: "list", item: STRING });
    const text = (): string => some(STRING);
    const target = text();
    switch (this.#rng.below(19)) {
      case 0:
      case 1:
        return pick(this.#rng, ["''", "'x'", "'a longer text'", "'äöü'"]);
      case 2:
        return `(${target} + ${text()})`;
      case 3:
        return `${target}.${pick(this.#rng, ["lowerAscii", "upperAscii", "trim"])}()`;
      case 4:
        return `${target}.replace(${text()}, ${text()})`;
      case 5:
        return `${target}.replace('${"ab".slice(this.#rng.below(3))}', '${"xyz".slice(this.#rng.below(4))}')`;
      case 6:
        return `${target}.substring(1)`;
      case 7:
        return `${list()}.join(${chance(this.#rng, 50) ? text() : ""})`;
      case 8:
        return `${target}.find(${chance(this.#rng, 70) ? "'[0-9]+'" : text()})`;
      case 9:
        return `string(${some(pick(this.#rng, [INT, { name: "bytes" }, { name: "duration" }]))})`;
      case 10:
        return `(${this.#bool(scope, depth + 2)} ? ${target} : ${text()})`;
      case 11:
        return `${list()}[0]`;
      case 12:
        return `strings.quote(${target})`;
      case 13:
        return `'%s and %d'.format([${target}, ${some(INT)}])`;
      case 14:
        return `${list()}.${pick(this.#rng, ["max", "min"])}()`;
      case 15:
        return `url(${target}).${pick(this.#rng, ["getHost", "getScheme"])}()`;
      case 16: {
        const maps = waysTo(scope, { name: "map", item: STRING });
        return maps.length === 0 ? `${target}.charAt(0)` : `${pick(this.#rng, maps)}[${target}]`;
      }
      case 17: {
        const ways = waysTo(scope, STRING).filter((way) => way.includes("."));
        if (ways.length === 0) return target;
        const optional = optionally(pick(this.#rng, ways));
        return chance(this.#rng, 50)
          ? `${optional}.orValue(${target})`
          : `${optional}.optMap(o, o + ${target}).orValue('none')`;
      }
      default:
        return `dyn(${target})`;
    }
  }

  #list(scope: Scope, item: Kind, depth: number): string {
    const some = (kind: Kind): string => this.#some(scope, kind, depth + 1);
    const items = (): string => some({ name: "list", item });
    if (depth > 4) return `[${some(item)}]`;
    const ways = waysTo(scope, { name: "list" });
    const mapped = (): string => {
      const from = ways.length === 0 ? "[1, 2]" : pick(this.#rng, ways);
      const name = this.#variable();
      const kind = ways.length === 0 ? INT : ((kindAt(scope, from) as Kind).item as Kind);
      const inner: Scope = [...scope, { name, kind }];
      const filter = chance(this.#rng, 25) ? `${this.#bool(inner, depth + 2)}, ` : "";
      return chance(this.#rng, 15)
        ? `${from}.transformList(i, ${name}, ${filter}${this.#some(inner, item, depth + 1)})`
        : `${from}.map(${name}, ${filter}${this.#some(inner, item, depth + 1)})`;
    };
    switch (this.#rng.below(12)) {
      case 0:
        return `[${Array.from({ length: this.#rng.below(4) }, () => some(item)).join(", ")}]`;
      case 1:
        return `(${items()} + ${items()})`;
      case 2: {
        const name = this.#variable();
        return `${items()}.filter(${name}, ${this.#bool([...scope, { name, kind: item }], depth + 1)})`;
      }
      case 3:
        return `(${this.#bool(scope, depth + 2)} ? ${items()} : ${items()})`;
      case 4:
        return `${items()}.${pick(this.#rng, ["reverse", "distinct"])}()`;
      case 5:
        return `${items()}.slice(${this.#rng.below(3)}, ${chance(this.#rng, 50) ? this.#rng.below(9) : some(INT)})`;
      case 6:
        return `[${items()}, ${items()}].flatten()`;
      case 7:
        return item.name === "int"
          ? `lists.range(${some(INT)})`
          : item.name === "string"
            ? `${some(STRING)}.split(',')`
            : items();
      case 8:
        return item.name === "string"
          ? `${some(STRING)}.${pick(this.#rng, ["findAll('[a-z]')", "split(',', 3)"])}`
          : items();
      case 9:
        return item.name === "string" || item.name === "int" ? `${items()}.sort()` : items();
      case 10: {
        const name = this.#variable();
        const key = this.#some([...scope, { name, kind: item }], pick(this.#rng, [INT, STRING]), depth + 2);
        return ways.length === 0 ? mapped() : `${items()}.sortBy(${name}, ${key})`;
      }
      default:
        return mapped();
    }
  }
}
