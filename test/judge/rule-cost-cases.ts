// Definitions whose rules cost exactly the limit or a little more: the estimate of the embedded server must equal the
// real one's to the last unit. Also the limits of rules at run time.

import type { JudgeCase, Step } from "./case.ts";
import { get, merge, patch, post } from "./steps.ts";

type Json = Record<string, unknown>;

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GROUP = "$ns.example";
const NAME = `costs.${GROUP}`;
const COSTS = `/apis/${GROUP}/v1/namespaces/$ns/costs`;

const version = (spec: Json, more: Json = {}): Json => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
  ...more,
});

const definition = (...versions: readonly Json[]): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: NAME },
  spec: { group: GROUP, scope: "Namespaced", names: { plural: "costs", kind: "Cost" }, versions },
});

const rules = (...all: readonly (string | Json)[]): Json => ({
  "x-kubernetes-validations": all.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});

const text = (maxLength?: number, ...all: readonly string[]): Json => ({
  type: "string",
  ...(maxLength !== undefined && { maxLength }),
  ...(all.length > 0 && rules(...all)),
});
const list = (items: Json, maxItems?: number, ...all: readonly string[]): Json => ({
  type: "array",
  items,
  ...(maxItems !== undefined && { maxItems }),
  ...(all.length > 0 && rules(...all)),
});
const map = (additionalProperties: Json, maxProperties?: number, ...all: readonly string[]): Json => ({
  type: "object",
  additionalProperties,
  ...(maxProperties !== undefined && { maxProperties }),
  ...(all.length > 0 && rules(...all)),
});
const object = (properties: Json, ...all: readonly (string | Json)[]): Json => ({
  type: "object",
  properties,
  ...(all.length > 0 && rules(...all)),
});
const INTEGER = { type: "integer" };

/** The answer about an accepted definition is judged elsewhere. */
const tried = (crd: Json): Step =>
  post(`${DEFINITIONS}?dryRun=All`, crd, {
    view: (body) => ((body as Json).kind === "Status" ? body : "taken"),
  });

interface Limit {
  readonly name: string;
  /** The largest accepted value. */
  readonly most: number;
  schema(size: number): Json;
}

const limits: readonly Limit[] = [
  { name: "lists in lists", most: 19998, schema: (n) => list(list(INTEGER, n), 100, "self.all(a, a.all(b, b > 0))") },
  {
    name: "rules within lists in lists",
    most: 500,
    schema: (n) => list(list(list(text(10, "self != 'x'"), 100), n), 100),
  },
  { name: "rules within a list of any length", most: 17, schema: (n) => list(text(n, "self == self")) },
  {
    name: "rules within a list of objects with required fields",
    most: 175,
    schema: (n) =>
      list({
        ...object({ name: text(n), other: INTEGER }, "self.name.lowerAscii() != 'x'"),
        required: ["name", "other"],
      }),
  },
  {
    name: "lists of objects and pairs of them",
    most: 844,
    schema: (n) => list(object({ name: text(20) }), n, "self.all(a, self.exists_one(b, a.name == b.name))"),
  },
  { name: "a pattern for any text", most: 124, schema: (n) => text(undefined, `self.matches('${"a".repeat(n)}')`) },
  {
    name: "a pattern for short texts",
    most: 3124997,
    schema: (n) => text(n, "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')"),
  },
  {
    name: "a pattern that is no literal",
    most: 243902,
    schema: (n) => object({ text: text(100), pattern: text(n) }, "self.text.matches(self.pattern)"),
  },
  { name: "parts of any text", most: 310, schema: (n) => text(undefined, `self.contains('${"a".repeat(n)}')`) },
  {
    name: "beginnings and ends",
    most: 1240,
    schema: (n) => list(text(n), 100, "self.all(a, self.all(b, a.startsWith(b) || a.endsWith(b)))"),
  },
  {
    name: "maps and their keys",
    most: 999999,
    schema: (n) => map(text(30), n, "self.all(k, k.size() < 10 && self[k] != k)"),
  },
  {
    name: "maps and their values",
    most: 24982,
    schema: (n) => map(text(n), 1000, "self.all(k, v, v.contains('abc') && k != v)"),
  },
  { name: "maps of any size", most: 7, schema: (n) => map(text(n, "self.lowerAscii() == self")) },
  { name: "maps in maps", most: 14285, schema: (n) => map(map(INTEGER, n, "self.all(k, self[k] > 0)"), 100) },
  {
    name: "maps made of maps",
    most: 588233,
    schema: (n) => map(text(10), n, "self.transformMap(k, v, v + k).all(k, v, v.size() > k.size())"),
  },
  { name: "sets that contain others", most: 3162, schema: (n) => list(text(20), n, "sets.contains(self, self)") },
  {
    name: "equal sets",
    most: 4999,
    schema: (n) => object({ a: list(text(20), n), b: list(text(20), 1000) }, "sets.equivalent(self.a, self.b)"),
  },
  {
    name: "quantities",
    most: 294117,
    schema: (n) =>
      list(
        text(20),
        n,
        "self.all(q, isQuantity(q) && quantity(q).isLessThan(quantity('10Gi')) && quantity(q) == quantity('1'))",
      ),
  },
  {
    name: "addresses",
    most: 106382,
    schema: (n) =>
      list(
        text(39),
        n,
        "self.all(a, isIP(a) && ip.isCanonical(a) && cidr('10.0.0.0/8').containsIP(a) && ip(a) == ip('10.0.0.1'))",
      ),
  },
  {
    name: "networks",
    most: 140845,
    schema: (n) =>
      list(
        text(43),
        n,
        "self.all(a, isCIDR(a) && cidr('10.0.0.0/8').containsCIDR(cidr(a).masked()) && cidr(a).ip().isLoopback())",
      ),
  },
  {
    name: "addresses of pages",
    most: 58139,
    schema: (n) =>
      list(text(200), n, "self.all(a, isURL(a) && url(a).getHost() != '' && url(a) == url('https://a.b'))"),
  },
  {
    name: "what is found in texts",
    most: 1764,
    schema: (n) => text(n, "self.findAll('[0-9]+').all(d, d.find('[1-9]') != '')"),
  },
  {
    name: "versions",
    most: 416666,
    schema: (n) => list(text(20), n, "self.all(v, isSemver(v) && semver(v).compareTo(semver('1.0.0')) > 0)"),
  },
  {
    name: "named formats",
    most: 11918,
    schema: (n) => list(text(63), n, "self.all(v, !format.dns1123Label().validate(v).hasValue())"),
  },
  {
    name: "order and sums",
    most: 243902,
    schema: (n) =>
      object(
        { i: list(INTEGER, n), s: list(text(30), n) },
        "self.i.isSorted() && self.s.isSorted() && self.i.sum() < 10 && self.s.indexOf('x') < 3 && self.s.max() != 'y'",
      ),
  },
  {
    name: "sorted and distinct items",
    most: 1177,
    schema: (n) =>
      object(
        { s: list(text(30), n) },
        "self.s.sort() == self.s.distinct().reverse() && self.s.sortBy(x, x.size()) == self.s",
      ),
  },
  {
    name: "parts of lists",
    most: 9992,
    schema: (n) =>
      list(list(INTEGER, n), 100, "self.flatten().slice(1, 5).size() > 3 && lists.range(1000).all(i, i in self[0])"),
  },
  {
    name: "texts cut",
    most: 120765,
    schema: (n) =>
      text(
        n,
        "self.replace('a', 'bcd').trim().size() > 0 && self.split('b', 100).all(x, self.replace('', 'yz').size() < 9)",
      ),
  },
  {
    name: "texts joined",
    most: 124532,
    schema: (n) => list(text(50), n, "self.join('-').matches('^[a-z]+$') && self.join().size() > 1"),
  },
  {
    name: "texts in quotes and patterns",
    most: 2499995,
    schema: (n) =>
      text(
        n,
        "strings.quote(self).contains('abc') && ('%s: %d'.format([self, 5]) == self || string(bytes(self)) == self)",
      ),
  },
  {
    name: "what is a number or a text",
    most: 9710,
    schema: (n) => ({
      ...list({ "x-kubernetes-int-or-string": true, maxLength: 40 }, n),
      ...rules("self.all(a, type(a) == string ? a.matches('^[0-9]+%$') : a > 3)"),
    }),
  },
  {
    name: "enumerated texts and times",
    most: 588235,
    schema: (n) =>
      list(
        object({
          e: { type: "string", enum: ["red", "ultramarine"] },
          t: { type: "string", format: "date-time" },
          d: { type: "string", format: "duration" },
          b: { type: "string", format: "byte", maxLength: 77 },
        }),
        n,
        "self.all(a, a.e == 'blue' && a.t < timestamp('2020-01-01T00:00:00Z') && a.d == duration('1h') && a.b == b'abc')",
      ),
  },
  {
    name: "choices",
    most: 1999998,
    schema: (n) =>
      object(
        { a: list(text(10), n), b: list(text(100), 10) },
        "(self.a.size() > 3 ? self.a : self.b).all(x, x.matches('abc'))",
      ),
  },
  {
    name: "optional parts",
    most: 357142,
    schema: (n) =>
      list(
        object({ a: text(100), b: text(50) }),
        n,
        "self.all(o, o.?a.orValue('none') != 'x' && o.?b.optMap(b, b != 'y').orValue(true) && has(o.a))",
      ),
  },
  {
    name: "places told by their neighbours",
    most: 666666,
    schema: (n) =>
      list(
        object({ m: map(text(10), 10), k: text(10), i: INTEGER, l: list(text(10), 10) }),
        n,
        "self.all(o, o.m[o.k] != 'x' && o.l[o.i] != 'y')",
      ),
  },
  { name: "what was before", most: 844, schema: (n) => list(text(20), n, "self.all(a, oldSelf.exists(b, a == b))") },
];

const MANY = "self.all(x, self.all(y, x + y > 0))";

/** Definitions with more than one rule. */
const definitions: Readonly<Record<string, Json>> = {
  "an unbounded text within an unbounded list": definition(version(list(text(undefined, "self.contains('x')")))),
  "a rule that costs twice as much": definition(version(list(INTEGER, 1700, MANY))),
  "a rule that costs two and a quarter": definition(
    version(list(text(18, "self == 'abcdefghijklmnopqrst'"), 7_500_000)),
  ),
  "rules that are not compiled cost nothing": definition(
    version(list(text(), undefined, "self.nope()", "self.all(x, 1)")),
  ),
  "a message that costs too much": definition(
    version(
      object(
        { l: list(text(50), 5000) },
        { rule: "true", messageExpression: "self.l.map(x, x + self.l[0]).join(', ')" },
      ),
    ),
  ),
  "a message costs as much within a list": definition(
    version(
      list(
        object({ a: text(1000) }, { rule: "has(self.a)", messageExpression: "self.a.replace('a', 'b') + self.a" }),
        10_000_000,
      ),
    ),
  ),
  "ten rules that just cost what they may together": definition(
    version(list(INTEGER, 1194, ...Array.from({ length: 10 }, () => MANY))),
  ),
  "eleven rules that cost too much together": definition(
    version(
      list(
        INTEGER,
        1194,
        ...Array.from({ length: 11 }, (_, i) => `${MANY}${" && true".repeat(i % 3)} || self.size() == ${i}`),
      ),
    ),
  ),
  "the dearest four are named": definition(
    version(
      list(
        INTEGER,
        1100,
        ...Array.from({ length: 12 }, (_, i) => `${MANY}${` && self.all(z, z > ${i})`.repeat(i)}`),
        "self.size() > 1",
      ),
    ),
  ),
  "rules here and there, too much together": definition(
    version(
      list(
        list(
          list(
            text(
              6,
              "self.matches('abcdefghijkl')",
              ...Array.from({ length: 9 }, (_, i) => `self.matches('abcdefgh${i}')`),
            ),
            100,
            "self.all(x, x.matches('abcdefgh'))",
          ),
          100,
          "self.size() > 2",
          "self.all(x, x.all(y, y.contains('abc')))",
        ),
        97,
        "self.all(a, a.all(b, b.all(c, c != 'x')))",
        "self.all(a, a.all(b, b.exists(c, c != 'x' && c != 'y')))",
      ),
    ),
  ),
  "two versions that say the same": definition(
    version(text(undefined, "self.contains(self)")),
    version(text(undefined, "self.contains(self)"), { name: "v2", storage: false }),
  ),
  "two versions that differ": definition(
    version(text(undefined, "self.contains(self)")),
    version(text(100, "self.contains(self)"), { name: "v2", storage: false }),
    version(list(INTEGER, 1200, MANY), { name: "v3", storage: false }),
  ),
  "properties beside a map are as many as its entries": definition(
    version({
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      additionalProperties: true,
      properties: { a: text(100, "self.matches('abcdefghijklmnopqrstuvwxyz')") },
    }),
  ),
  "values in embedded resources": definition(
    version(
      list(
        {
          ...object(
            { kind: text(), apiVersion: text(), metadata: object({ name: text(10), generateName: text(10) }) },
            "self.metadata.name == self.metadata.generateName && self.kind != self.apiVersion",
          ),
          "x-kubernetes-embedded-resource": true,
        },
        100,
      ),
    ),
  ),
  "what rules cannot see": definition(
    version(
      object(
        { a: { "x-kubernetes-preserve-unknown-fields": true }, "1x": text(undefined, "self.contains(self)") },
        "has(self.a)",
      ),
    ),
  ),
};

const refused = definition(version(list(INTEGER, 2000, MANY)));

/** Costs twice the square of the size plus three. A call may cost a million, an object ten million. */
const SORTED = "self.sort().size() > 0";
const sorted = (count: number): string[] => Array.from({ length: count }, (_, i) => `${SORTED} || ${i} < 0`);

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const cost = (name: string, spec: unknown): Json => ({
  apiVersion: `${GROUP}/v1`,
  kind: "Cost",
  metadata: { name },
  spec,
});

const teach = (spec: Json): Step[] => [
  post(DEFINITIONS, definition(version(spec)), { view: () => undefined }),
  { ...get(COSTS), awaits: 200, view: () => undefined },
];

/** The default of the list and that of its items are checked one after the other. */
const nested = (count: number): Json => {
  const inner = list(INTEGER, 700, ...sorted(7));
  return { ...list({ ...list(inner, 2), default: [numbers(count)] }, 2), default: [[numbers(count)]] };
};

export const ruleCostCases: readonly JudgeCase[] = [
  ...limits.map(({ name, most, schema }) => ({
    name: `machinery/7.2.r8 what rules may cost: ${name}`,
    steps: [tried(definition(version(schema(most)))), tried(definition(version(schema(most + 1))))],
  })),
  ...Object.entries(definitions).map(([name, crd]) => ({
    name: `machinery/7.2.r8 what rules may cost: ${name}`,
    steps: [tried(crd)],
  })),
  {
    name: "machinery/7.2.r8 what rules may cost: a definition that is updated",
    steps: [
      ...teach(list(INTEGER, 1194, MANY)),
      patch(
        `${DEFINITIONS}/${NAME}`,
        merge,
        { metadata: { labels: { a: "b" } } },
        { view: (body) => (body as Json).kind },
      ),
      patch(`${DEFINITIONS}/${NAME}`, merge, { spec: refused.spec }),
      patch(`${DEFINITIONS}/${NAME}`, merge, {
        spec: definition(
          version(list(INTEGER, 1194, MANY)),
          version(list(INTEGER, 1195, MANY), { name: "v2", storage: false }),
        ).spec,
      }),
    ],
  },
  {
    name: "machinery/7.2.r8 a rule that costs too much when it runs ends the validation",
    steps: [
      ...teach(
        object(
          { a: list(INTEGER, 1000, SORTED, "self.size() < 3"), b: text(5, "self != 'x'") },
          "!has(self.b) || self.b != 'y'",
        ),
      ),
      post(COSTS, cost("small", { a: numbers(2), b: "ok" }), { view: () => undefined }),
      post(COSTS, cost("many", { a: numbers(707) })),
      post(COSTS, cost("more", { a: numbers(708), b: "y" })),
      patch(`${COSTS}/small`, merge, { spec: { a: numbers(708) } }),
    ],
  },
  {
    name: "machinery/7.2.r8 all rules of an object have one budget",
    steps: [
      ...teach(list(list(INTEGER, 700, ...sorted(4), "self.size() != 5"), 6)),
      post(COSTS, cost("within", [numbers(700), numbers(700), numbers(500)]), { view: (body) => (body as Json).kind }),
      post(COSTS, cost("beyond", [numbers(700), numbers(700), numbers(700)])),
      post(COSTS, cost("broken", [numbers(5), numbers(700), numbers(5), numbers(700), numbers(700), numbers(5)])),
    ],
  },
  {
    name: "machinery/7.2.r8 messages cost, too",
    steps: [
      ...teach(
        object(
          { a: list(INTEGER, 720), b: INTEGER },
          { rule: "self.b != 1", messageExpression: "string(self.a.sort().size())" },
          { rule: "self.b != 2", messageExpression: "string(self.a.size())" },
          { rule: "self.b != 3", messageExpression: "string(self.a[0] / 0)" },
          { rule: "self.b != 4", messageExpression: "self.b > 3 ? ' ' : 'x'" },
          { rule: "self.b != 5", messageExpression: "'a\\nb'" },
          ...Array.from({ length: 10 }, (_, i) => `self.b != 6 || self.a.sort().size() > ${i}`),
          { rule: "self.b != 6", messageExpression: "string(self.a.sort().size())" },
          "self.b < 9",
        ),
      ),
      post(COSTS, cost("one", { a: numbers(707), b: 1 })),
      post(COSTS, cost("too-many", { a: numbers(708), b: 1 })),
      ...[2, 3, 4, 5, 6, 9].map((b) => post(COSTS, cost(`b-${b}`, { a: numbers(700), b }))),
    ],
  },
  {
    name: "machinery/7.2.r8 messages see what was before as it is",
    steps: [
      ...teach(
        object(
          { a: text(20), b: text(20) },
          {
            rule: "oldSelf.hasValue() ? oldSelf.value().a == self.a : self.a != 'no'",
            optionalOldSelf: true,
            messageExpression: "'it was ' + oldSelf.value().a",
          },
          { rule: "self.b != 'no'", messageExpression: "'it was ' + oldSelf.b" },
        ),
      ),
      post(COSTS, cost("a", { a: "x", b: "y" }), { view: () => undefined }),
      post(COSTS, cost("b", { a: "no", b: "no" })),
      patch(`${COSTS}/a`, merge, { spec: { a: "z" } }),
      patch(`${COSTS}/a`, merge, { spec: { b: "no" } }),
    ],
  },
  {
    name: "machinery/7.2.r8 defaults must fulfil their rules within one budget",
    steps: [
      tried(definition(version({ ...list(INTEGER, 1000, SORTED), default: numbers(708) }))),
      tried(definition(version({ ...list(INTEGER, 1000, "self.size() < 3"), default: numbers(4) }))),
      tried(definition(version(nested(550)))),
      tried(definition(version(nested(700)))),
    ],
  },
];
