// Normalises the accepted differences of two clusters: identities, versions, times, addresses and random values. The
// widths of columns depend on these, so runs of blanks inside a line become two.

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>"],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, "<date>"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>"],
  [/X509SHA256=[0-9a-f]{64}/g, "<certificate>"],
  [/(resourceVersion\\?"?: ?\\?"?)\d+/g, "$1<version>"],
  [/(resource version: )\d+/gi, "$1<version>"],
  [/(Resource Version:\s+)\d+/g, "$1<version>"],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000( UTC)?/g, "<date>"],
  [/^([EIW])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, "$1<date> "], // lines of kubectl's log
  [/\b10\.0\.0\.(1[7-9]|[2-9]\d|1\d\d|2[0-4]\d|25[0-4])\b/g, "<drawn address>"],
  [/\b3[0-2]\d{3}(?=\/TCP)|(?<=nodePort"?: )3[0-2]\d{3}/g, "<drawn port>"],
  [/((?:made|debugger|kube-api-access)-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "$1<suffix>"],
  [/\/tmp\/(LIVE|MERGED|kubectl-edit|tmp\.|kubectl-)[-\w.]+/g, "<file>"],
  [/\b(LIVE|MERGED)-\d+/g, "$1"],
  // Ages, but not durations in manifests.
  [/(^|[\s(~])(\d+[dhms])+(?=\s|$|\))/gm, "$1<age>"],
];

export function normalised(text: string, host: string, namespace: string): string {
  let normal = text.replaceAll(host, "<server>").replaceAll(namespace, "<namespace>");
  for (const [pattern, placeholder] of REPLACEMENTS) normal = normal.replace(pattern, placeholder);
  return inOneOrder(normal.replace(/(?<=\S) {2,}/g, "  ").replace(/ +$/gm, ""));
}

/** Errors about a custom resource, and rules of several roles, come in the order of a Go map, which is random. */
function inOneOrder(text: string): string {
  const sorted = (lines: string): string => lines.split("\n").filter(Boolean).sort().join("\n").concat("\n");
  return text
    .replace(/(^\* .*\n)+/gm, sorted)
    .replace(/(?<=\] {2}\[)[a-z ]+(?=\]$)/gm, (verbs) => verbs.split(" ").sort().join(" "))
    .replace(/(^\S* {2}\[.*\] {2}\[.*\] {2}\[[a-z* ]+\]\n)+/gm, sorted);
}
