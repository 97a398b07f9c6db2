// Turns the checklists of behaviours (Markdown, kept outside this repository) into the pages of the parity ledger.
// Pure: text in, pages out. An id is the position of a sentence in its checklist, so it is stable while the checklists
// do not change.

import { inPlainWords } from "./parity-words.ts";

interface SpecRow {
  readonly id: string;
  readonly text: string;
}

interface SpecSection {
  readonly title: string;
  /** Paragraphs that describe no behaviour. */
  readonly notes: readonly string[];
  readonly rows: readonly SpecRow[];
}

export interface SpecPage {
  /** Without folder and extension: `job`. */
  readonly name: string;
  readonly title: string;
  readonly area: string;
  /** The page of behaviours that the controllers of the area share. */
  readonly shared?: string;
  readonly sections: readonly SpecSection[];
}

interface Checklist {
  readonly file: string;
  readonly area: string;
  readonly shared: string;
  readonly sharedTitle: string;
}

const checklists: readonly Checklist[] = [
  { file: "workloads.md", area: "workloads", shared: "workloads", sharedTitle: "Shared by the workload controllers" },
  {
    file: "core-auth-cleanup.md",
    area: "core, auth and clean-up",
    shared: "core",
    sharedTitle: "Shared by the core, auth and clean-up controllers",
  },
  {
    file: "network-nodes-devices.md",
    area: "network, nodes and devices",
    shared: "network",
    sharedTitle: "Shared by the network, node and device controllers",
  },
  { file: "storage.md", area: "storage", shared: "storage", sharedTitle: "Shared by the storage controllers" },
];

const machineryFile = "manager-and-machinery.md";
const chapterNames = [
  "command",
  "serving",
  "leader-election",
  "clients",
  "client-go",
  "metrics",
  "api-server",
  "upstream-tests",
] as const;

/** The pages of all checklists; `read` returns the text of one. */
export function pagesOfSpec(read: (file: string) => string): SpecPage[] {
  return [
    ...machineryPages(read(machineryFile)),
    ...checklists.flatMap((list) => controllerPages(list, read(list.file))),
  ];
}

/** The parts that start with a heading of this level, and the text before the first. */
function split(markdown: string, level: string): { before: string; parts: { title: string; body: string }[] } {
  const [before = "", ...parts] = markdown.split(new RegExp(`^${level} `, "m"));
  return {
    before,
    parts: parts.map((part) => {
      const end = part.indexOf("\n");
      return { title: part.slice(0, end).trim(), body: part.slice(end + 1) };
    }),
  };
}

/** Lines with text, without rulers and empty lines. */
function linesOf(body: string): string[] {
  return body.split("\n").filter((line) => line.trim() !== "" && line !== "---");
}

// ---- controllers

const labelNames = [
  "Watches",
  "Reads live",
  "Live reads",
  "Live",
  "Writes",
  "Config",
  "Flags",
  "Constants",
  "Queues",
  "Queue",
  "Events / metrics",
  "Events, metrics",
  "Events",
  "Other events",
  "Metrics",
  "Tests",
  "Traps",
  "Start",
  "Trigger time",
  "Three loops",
];
/** A label starts a bullet or a sentence inside one. */
const labelPattern = new RegExp(`(?:^|(?<=[.;)] ))(${labelNames.join("|")})\\b`, "g");
const slugs: Readonly<Record<string, readonly string[]>> = {
  Live: ["reads-live"],
  "Live reads": ["reads-live"],
  Queue: ["queues"],
  "Other events": ["events"],
  "Events / metrics": ["events", "metrics"],
  "Events, metrics": ["events", "metrics"],
};

/** One bullet holds one fact or several: `Watches: … Reads live: … Writes: …`. */
function labelled(bullet: string): { slug: string; text: string }[] {
  const labels = [...bullet.matchAll(labelPattern)];
  return labels.flatMap(({ index, 1: label = "" }, at) => {
    const text = bullet.slice(index, labels[at + 1]?.index).trim();
    return (slugs[label] ?? [label.toLowerCase().replaceAll(" ", "-")]).map((slug) => ({ slug, text }));
  });
}

/** `job` of `job-controller`. */
function prefixOfTitle(title: string): string {
  const name = title.replace(/ \(.*$/, "");
  if (name.startsWith("cloud loops")) return "cloud-loops";
  if (name === "provider interface") return "cloud-provider";
  return name.replace(/-controller$/, "");
}

const cloudPrefixes = new Set([
  "cloud-loops",
  "cloud-provider",
  "service-lb",
  "node-route",
  "cloud-node",
  "cloud-node-lifecycle",
]);

function controllerPages({ file, area, shared, sharedTitle }: Checklist, markdown: string): SpecPage[] {
  const { before, parts } = split(markdown, "###");
  const sharedSections =
    shared === "workloads" ? sharedWorkloads(before) : [sharedFacts(before, shared === "core" ? "core" : undefined)];
  const controllers = parts.map(({ title, body }) => ({ title, prefix: prefixOfTitle(title), body }));
  const own = controllers.filter(({ prefix }) => !cloudPrefixes.has(prefix));
  const cloud = controllers.filter(({ prefix }) => cloudPrefixes.has(prefix));
  const pages: SpecPage[] = [
    { name: shared, title: sharedTitle, area, sections: sharedSections },
    ...own.map(({ title, prefix, body }) => ({
      name: prefix,
      title,
      area,
      shared,
      sections: controllerSections(prefix, body),
    })),
  ];
  if (cloud.length === 0) return pages;
  const sections = cloud.flatMap(({ title, prefix, body }) =>
    controllerSections(prefix, body).map((section, at) => (at === 0 ? { ...section, title } : section)),
  );
  if (file !== "network-nodes-devices.md") throw new Error(`${file}: cloud loops belong to the network checklist`);
  return [...pages, { name: "cloud", title: "Cloud loops", area, shared, sections }];
}

/** First the facts, then the numbered behaviours under the headings of the checklist. */
function controllerSections(prefix: string, body: string): SpecSection[] {
  const facts = new Map<string, string>();
  const behaviours: { title: string; rows: SpecRow[] }[] = [];
  const add = (slug: string, text: string): void => {
    const id = `${prefix}/${slug}`;
    facts.set(id, facts.has(id) ? `${facts.get(id)} ${text}` : text);
  };
  for (const line of linesOf(body)) {
    const item = /^(\d+)\. (.*)$/.exec(line);
    if (item !== null) {
      if (behaviours.length === 0) behaviours.push({ title: "Behaviour", rows: [] });
      behaviours.at(-1)?.rows.push({ id: `${prefix}/${item[1]}`, text: inPlainWords(item[2] ?? "") });
    } else if (line.startsWith("- ")) {
      const parts = labelled(line.slice(2));
      if (parts.length === 0) throw new Error(`${prefix}: no known label in "${line}"`);
      for (const { slug, text } of parts) add(slug, text);
    } else if (line.startsWith("Behaviour")) {
      behaviours.push({ title: inPlainWords(line.replace(/ - /, ": ")), rows: [] });
    } else {
      add("about", line);
    }
  }
  const rows = [...facts].map(([id, text]) => {
    const slug = id.slice(prefix.length + 1);
    return { id, text: inPlainWords(text, slug === "events" || slug === "metrics" ? slug : "other") };
  });
  return [{ title: "Facts", notes: [], rows }, ...behaviours.map((each) => ({ ...each, notes: [] }))];
}

/** The bullets `S1. …` under bold titles, and one bold title with its text. */
function sharedWorkloads(before: string): SpecSection[] {
  const { parts } = split(before, "##");
  const body = parts.find(({ title }) => title === "Shared machinery")?.body ?? "";
  let current = { title: "Sources", notes: [] as string[], rows: [] as SpecRow[] };
  const sections = [current];
  const open = (title: string): void => {
    current = { title, notes: [], rows: [] };
    sections.push(current);
  };
  for (const line of linesOf(body)) {
    const bold = /^\*\*(.*?)\*\*(?:: (.*))?$/.exec(line);
    const item = /^- (S\d+)\. (.*)$/.exec(line);
    if (bold !== null) {
      const [, title = "", text] = bold;
      open(title);
      if (text !== undefined)
        current.rows.push({ id: `workloads/${title.toLowerCase().replaceAll(" ", "-")}`, text: inPlainWords(text) });
    } else if (item !== null) {
      current.rows.push({ id: `workloads/${item[1]}`, text: inPlainWords(item[2] ?? "") });
    } else if (line.startsWith("- Tests: ")) {
      open("Upstream tests");
      current.rows.push({ id: "workloads/tests", text: inPlainWords(line.slice(2)) });
    } else {
      current.notes.push(inPlainWords(line));
    }
  }
  return sections;
}

/**
 * Bullets are rows if the area has a prefix; other lines are notes. The list of abbreviations is dropped, because rows
 * spell them out.
 */
function sharedFacts(before: string, prefix: string | undefined): SpecSection {
  const notes: string[] = [];
  const rows: SpecRow[] = [];
  for (const line of linesOf(before).filter((each) => !/^(# |Facts common|Conventions|Test counts)/.test(each))) {
    if (prefix !== undefined && line.startsWith("- "))
      rows.push({ id: `${prefix}/${rows.length + 1}`, text: inPlainWords(line.slice(2)) });
    else notes.push(line);
  }
  return { title: "Facts", notes: notes.length > 0 ? [inPlainWords(notes.join(" "))] : [], rows };
}

// ---- machinery

function machineryPages(markdown: string): SpecPage[] {
  return split(markdown, "##").parts.map(({ title, body }) => {
    const [, chapter = "", subject = ""] = /^(\d+)\. (.*)$/.exec(title) ?? [];
    const name = chapterNames[Number(chapter) - 1];
    if (name === undefined) throw new Error(`${machineryFile}: chapter "${title}" has no page`);
    const { before, parts } = split(body, "###");
    const own = machinerySection(chapter, "In general", before);
    const sections = parts.map((part) =>
      machinerySection(/^[\d.]+/.exec(part.title)?.[0] ?? "", part.title, part.body),
    );
    return {
      name: `machinery-${chapter}-${name}`,
      title: `machinery ${chapter}: ${subject}`,
      area: "the daemon and its machinery",
      sections: [...(own.rows.length + own.notes.length > 0 ? [own] : []), ...sections],
    };
  });
}

function machinerySection(number: string, title: string, body: string): SpecSection {
  const rows: SpecRow[] = [];
  const notes: string[] = [];
  const counts = { n: 0, r: 0 };
  let table: Table | undefined;
  let tableTitle = "";
  const add = (last: string, text: string): void => {
    rows.push({ id: `machinery/${number}.${last}`, text: inPlainWords(text) });
  };
  for (const line of linesOf(body)) {
    const item = /^(\d+)\. (.*)$/.exec(line);
    if (!line.startsWith("|")) table = undefined;
    if (item !== null) add(item[1] ?? "", item[2] ?? "");
    else if (line.startsWith("|")) {
      const cells = line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("\\|", "|"));
      if (table === undefined) table = { title: tableTitle, header: cells, before: [] };
      else if (!cells.every((cell) => /^-+$/.test(cell))) {
        add(`r${++counts.r}`, rowText(table, cells));
      }
    } else if (line.startsWith("**")) {
      tableTitle = /^\*\*(.*?)\*\*/.exec(line)?.[1] ?? "";
      if (line.includes("**: ")) notes.push(inPlainWords(line));
    } else if (line.startsWith("Types: ")) {
      // The rows spell these out.
    } else if (line.startsWith("Source: ")) notes.push(inPlainWords(line));
    else add(`n${++counts.n}`, line);
  }
  return { title: inPlainWords(title), notes, rows };
}

interface Table {
  readonly title: string;
  readonly header: readonly string[];
  /** The cells of the previous row: an empty first cell repeats its first. */
  before: readonly string[];
}

const flagTypes: Readonly<Record<string, string>> = {
  b: "bool",
  d: "duration",
  i: "int",
  m: "map",
  s: "string",
  sl: "string list",
};

/** One row of a table as a sentence. */
function rowText(table: Table, row: readonly string[]): string {
  const [first = "", ...others] = row;
  const cells = first === "" ? [table.before[0] ?? "", ...others] : row;
  table.before = cells;
  const value = (name: string): string | undefined => cells[table.header.indexOf(name)];
  const flag = value("Flag");
  if (flag !== undefined) {
    const type = value("Type") ?? "";
    const section = value("Section");
    const where = section === undefined ? table.title : `${section}-controller`;
    return `${flag} (section ${where}; ${flagTypes[type] ?? type}, default ${value("Default")}): ${value("Meaning")}`;
  }
  const priority = value("P");
  const fields = table.header.map((name, at) => ({ name, cell: cells[at] ?? "" })).filter(({ name }) => name !== "P");
  const [subject = { name: "", cell: "" }, ...rest] = fields;
  const [only] = rest;
  if (only === undefined) return `${subject.cell} (${priority})`;
  const start = priority === undefined ? subject.cell : `${subject.cell} (${priority})`;
  if (rest.length === 1) return `${start}: ${only.cell}`;
  const told = rest.filter(({ cell }) => cell !== "" && cell !== "–");
  return [`${start}.`, ...told.map(({ name, cell }) => `${name}: ${cell.replace(/^– /, "").replace(/\.$/, "")}.`)].join(
    " ",
  );
}
