// Rules of this repository that no linter has, each a pure function of a file's path and text.

/** The guideline is 400 lines; this is the limit. A table of data may be longer. */
const linesMax = 500;
const contractLabels = ["Keeps true:", "Requeues:", "Upstream:", "Deviations:"];

interface Rule {
  /** The message about an offending file. */
  readonly complaint: string;
  readonly applies: (path: string) => boolean;
  readonly offends: (text: string) => boolean;
}

const isTest = (path: string): boolean => /\.(test|contract)\.ts$/.test(path);
const isSource = (path: string): boolean => /\.(ts|mjs)$/.test(path) && !path.includes("/generated/");
const isText = (path: string): boolean =>
  isSource(path) || /(\.(json|jsonc|md|go|sh|grit)|Makefile|\.ci\/run)$/.test(path);

// Composed, so that this file does not match its own rule.
const leftOver = new RegExp(`\\b(${["TO", "DO"].join("")}|${["FIX", "ME"].join("")}|XX[X])\\b`);
const machinePath = /["'`( ]\/(work|root|home|tmp|Users)\//;
const switchedOffTest = /\b(it|test|describe)\.(only|skip|todo)\s*[.(]/;

const tailLog = /(?:=>|\breturn)\s+[\w.#]*(?:\blog(?:\.v\(\w+\))?\.(?:info|error)|logging\.plain)\(/;

const rules: readonly Rule[] = [
  {
    complaint: `is longer than ${linesMax} lines: a concept in it has no name yet`,
    applies: (path) => isSource(path) && !/-(table|cases)\.ts$/.test(path),
    offends: (text) => text.split("\n").length - 1 > linesMax,
  },
  {
    complaint: "does not open with a comment that says what it is",
    applies: (path) => isSource(path) && !isTest(path) && !path.endsWith(".config.ts"),
    offends: (text) => !/^(#!.*\n)?\/[/*]/.test(text),
  },
  {
    complaint: `lacks a label of the controller contract (${contractLabels.join(" ")})`,
    applies: (path) => /^src\/controllers\/[^/]+\/controller\.ts$/.test(path),
    offends: (text) => contractLabels.some((label) => !text.includes(label)),
  },
  {
    complaint: "names a path of some machine",
    applies: (path) => isText(path) && !isTest(path) && !path.startsWith("test/"),
    offends: (text) => machinePath.test(text),
  },
  { complaint: "has a left-over note to do something", applies: isText, offends: (text) => leftOver.test(text) },
  { complaint: "switches a test off, or all others", applies: isTest, offends: (text) => switchedOffTest.test(text) },
  {
    complaint: "logs in tail position, where Bun's stacks do not show who logs: use a statement",
    applies: (path) => path.startsWith("src/") && isSource(path) && !isTest(path),
    offends: (text) => tailLog.test(text),
  },
  {
    complaint: "is a barrel: import the file that has the thing",
    applies: (path) => /(^|\/)index\.ts$/.test(path),
    offends: () => true,
  },
];

/** The rules that one file breaks. */
export function untidiness(path: string, text: string): string[] {
  return rules
    .filter(({ applies, offends }) => applies(path) && offends(text))
    .map(({ complaint }) => `${path}: ${complaint}`);
}

const LINKED_HEADING = /\]\(([^):#\s]*)#([^)\s]+)\)/g;

/** Links of a document to headings that do not exist. `read` returns a document's text if it exists. */
export function missingHeadings(path: string, text: string, read: (target: string) => string | undefined): string[] {
  return [...text.matchAll(LINKED_HEADING)]
    .filter(([, target = "", anchor = ""]) => !anchorsIn((target === "" ? text : read(target)) ?? "").has(anchor))
    .map(([, target, anchor]) => `${path}: links to ${target}#${anchor}, which does not exist`);
}

/** As GitHub makes them from headings. */
function anchorsIn(document: string): ReadonlySet<string> {
  const headings = document.replaceAll(/^```.*?^```/gms, "").matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

const LINKED_NAME = /\[`([\w$]+)`\]\(([^)#:\s]+\.ts)\)/g;

/**
 * Links of a document whose text is a name that the linked file does not declare. `read` returns a file's text if it
 * exists.
 */
export function undeclaredNames(path: string, text: string, read: (target: string) => string | undefined): string[] {
  return [...text.matchAll(LINKED_NAME)]
    .filter(([, name = "", target = ""]) => !declares(read(target) ?? "", name))
    .map(([, name, target]) => `${path}: names ${name} of ${target}, which does not declare it`);
}

/** Whether the source declares the name at the top level or as a member. */
function declares(source: string, name: string): boolean {
  const atTop = `^(?:export )?(?:async )?(?:function|class|const|interface|type) ${name}\\b`;
  const asMember = `^  (?:readonly |async |get |static )*${name}[(<?:]`;
  return new RegExp(`${atTop}|${asMember}`, "m").test(source);
}

/** Every dependency has one exact version: the tested version is the installed one. */
interface LockEntry {
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/** Packages that are installed on Linux x64, where CI runs and releases are built, without being verified. */
export function unverified(packages: Readonly<Record<string, LockEntry>>): string[] {
  const includes = (list: readonly string[] | undefined, own: string): boolean => list?.includes(own) ?? true;
  return Object.entries(packages)
    .filter(([path, { integrity, optional, os, cpu, libc }]) => {
      const isElsewhere = !includes(os, "linux") || !includes(cpu, "x64") || !includes(libc, "glibc");
      return path !== "" && integrity === undefined && !(optional === true && isElsewhere);
    })
    .map(([path]) => `package-lock.json: ${path} has no integrity: run node tools/lock-integrity.mjs`);
}

export function unpinned(packageJson: Readonly<Record<string, unknown>>): string[] {
  return ["dependencies", "devDependencies", "optionalDependencies"].flatMap((kind) =>
    Object.entries((packageJson[kind] ?? {}) as Record<string, string>)
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `package.json: ${name} is not pinned to one version (${version})`),
  );
}
