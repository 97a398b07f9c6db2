// Expands the abbreviations of the checklists and escapes Markdown characters. Code spans and quoted messages stay
// unchanged.

type Subject = "events" | "metrics" | "other";
type Rules = readonly (readonly [RegExp, string])[];

const words: Rules = [
  [/\bSMP\b/g, "strategic merge patch"],
  [/\bSSA\b/g, "server-side apply"],
  [/\bLTT\b/g, "lastTransitionTime"],
  [/\bRV(s?)\b/g, "resourceVersion$1"],
  [/\bRS(s?)\b/g, "ReplicaSet$1"],
  [/\bRC\b/g, "ReplicationController"],
  [/\bDS\b/g, "DaemonSet"],
  [/\bSTS\b/g, "StatefulSet"],
  [/\bSA(s?)\b/g, "ServiceAccount$1"],
  [/\bSVM\b/g, "StorageVersionMigration"],
  [/\bVAC\b/g, "VolumeAttributesClass"],
  [/\bVA\b/g, "VolumeAttachment"],
  [/\bVAP\b/g, "ValidatingAdmissionPolicy"],
  [/\bMAP\b/g, "MutatingAdmissionPolicy"],
  [/\bKCM\b/g, "kube-controller-manager"],
  [/\bGR\b/g, "group-resource"],
  [/\bdefault RL\b/g, "default rate limiter"],
  [/\bRL\b/g, "rate limiter"],
  [/\b(desired|actual) state \([DA]SW\)/g, "$1 state of world"],
  [/\bDSW\b/g, "desired state of world"],
  [/\bASW\b/g, "actual state of world"],
  [/\bLOC ([\d/]+)/g, "$1 lines"],
  [/\bLOC\b/g, "lines"],
  [/\b1 T\b/g, "1 test"],
  [/\b(\d+) T\b/g, "$1 tests"],
  [/~(\d+) c\b/g, "about $1 cases"],
  [/(?<=\/ )(\d+) c\b/g, "$1 cases"],
  [/~(?=\d)/g, "about "],
  [/(?<![\w/])(S\d+)\b/g, "workloads/$1"],
  [/ [-=]> /g, " → "],
  [/\bin this file\b/g, "of this area"],
];

const events: Rules = [
  [/(?<=\S) N\/W(?=[,.;:) ]|$)/g, " (Normal or Warning)"],
  [/(?<=[\w}…>]) W(?=[,.;:) ]|$)/g, " (Warning)"],
  [/(?<=[\w}…>]) N(?=[,.;:) ]|$)/g, " (Normal)"],
  [/\bN (?=when )/g, "Normal "],
  [/\bW (?=when )/g, "Warning "],
];

const metrics: Rules = [
  [/(?<=\w) h(?=\{)/g, " histogram"],
  [/(?<=\w) c(?=\{| and )/g, " counter"],
  [/(?<=\w) g(?=[{,])/g, " gauge"],
];

const rulesOf: Readonly<Record<Subject, Rules>> = {
  events: [...events, ...words],
  metrics: [...metrics, ...words],
  other: words,
};

/** Short forms of paths, inside and outside of code spans. */
const paths: Readonly<Record<string, string>> = {
  am: "apimachinery",
  as: "apiserver",
  cb: "component-base",
  cg: "client-go",
  cm: "controller-manager",
};

const shortPath = /(?<![\w/.-])(am|as|cb|cg|cm)\/(?=[a-z{`]|$)/g;
const codeOrQuoted = /(`[^`]*`|"(?:\\.|[^"\\])*")/;

/** `subject` is the kind of row: events and metrics have additional abbreviations. */
export function inPlainWords(text: string, subject: Subject = "other"): string {
  const rules = rulesOf[subject];
  return text
    .split(codeOrQuoted)
    .map((part) => {
      const long = part.replaceAll(shortPath, (_, short: string) => `staging/src/k8s.io/${paths[short]}/`);
      if (part.startsWith("`")) return long;
      const plain = part.startsWith('"') ? long : rules.reduce((so, [from, to]) => so.replaceAll(from, to), long);
      return withoutMarkup(plain);
    })
    .join("");
}

function withoutMarkup(text: string): string {
  return text
    .split(/(\*\*[^*]+\*\*|(?<![\w*])\*[a-z][^*]*\*(?!\w))/)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll("*", "\\*")))
    .join("")
    .replaceAll(/<(?=[A-Za-z/])/g, "\\<");
}
