// What two clusters differ in beyond what two API servers do: which node takes a pod, its address, the names that controllers
// draw, the hashes of templates that bear the time of a restart, and the order of events of the same second.

import { normalised } from "#test/real/kubectl-normalise.ts";

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\b[bcdfghjklmnpqrstvwxz2456789]{8,10}\b/g, "<hash>"],
  [/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "-<drawn>"],
  [/\bnode-[12]\b/g, "<node>"],
  [/\b192\.168\.0\.1[01]\b/g, "<node address>"],
  [/\b10\.244\.\d+\.\d+\b/g, "<pod address>"],
];
/** With their ages or without. */
const EVENTS = /(^\s*(<age>.*? {2})?(Normal|Warning) {2,}.*\n)+/gm;

export function normalisedOfCluster(text: string, host: string, namespace: string): string {
  let normal = normalised(text, host, namespace);
  for (const [pattern, placeholder] of REPLACEMENTS) normal = normal.replace(pattern, placeholder);
  return normal.replace(EVENTS, (lines) => lines.split("\n").filter(Boolean).sort().join("\n").concat("\n"));
}
