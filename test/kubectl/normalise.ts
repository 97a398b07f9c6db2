// Normalises the differences between two clusters that two API servers alone do not have: the node and address of a
// pod, names that controllers generate, hashes of templates with the time of a restart, and the order of events in the
// same second.

import { normalised } from "#test/real/kubectl-normalise.ts";

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\b[bcdfghjklmnpqrstvwxz2456789]{8,10}\b/g, "<hash>"],
  [/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "-<drawn>"],
  [/\bnode-[12]\b/g, "<node>"],
  [/\b192\.168\.0\.1[01]\b/g, "<node address>"],
  [/\b10\.244\.\d+\.\d+\b/g, "<pod address>"],
];
/** With or without their ages. */
const EVENTS = /(^\s*(<age>.*? {2})?(Normal|Warning) {2,}.*\n)+/gm;

export function normalisedOfCluster(text: string, host: string, namespace: string): string {
  let normal = normalised(text, host, namespace);
  for (const [pattern, placeholder] of REPLACEMENTS) normal = normal.replace(pattern, placeholder);
  return normal.replace(EVENTS, (lines) => lines.split("\n").filter(Boolean).sort().join("\n").concat("\n"));
}
