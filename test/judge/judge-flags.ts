// Admission plugins that the embedded server does not have: they are switched off on the judge.

const missing: Readonly<Record<string, string>> = {
  DefaultIngressClass: "Ingress is served from its schema so far",
  RuntimeClass: "adds the overhead of a class to pods; classes are served from their schema so far",
};

export const judgeFlags: readonly string[] = [
  `--disable-admission-plugins=${Object.keys(missing).join(",")}`,
  // Its controller writes the status of flow schemas, sooner or later.
  "--enable-priority-and-fairness=false",
];
