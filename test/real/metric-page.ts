// Reads a page of metrics: its descriptions and its series.

/** Names with "TYPE: help", and the bounds of histograms. */
export function describedIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", help = ""] of text.matchAll(/^# HELP (\S+) (.*)$/gm)) found.set(name, help);
  for (const [, name = "", type = ""] of text.matchAll(/^# TYPE (\S+) (.*)$/gm)) {
    const bounds = [
      ...new Set([...text.matchAll(new RegExp(`^${name}_bucket\\{.*le="([^"]+)"`, "gm"))].map(([, bound]) => bound)),
    ];
    const labels = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, "m").exec(text)?.[1] ?? "";
    const names = [...labels.matchAll(/(\w+)=/g)].map(([, label]) => label);
    // Gates and versions are equal, so their series are too.
    const isSame = name === "kubernetes_feature_enabled" || name === "version_info";
    const series = isSame ? (text.match(new RegExp(`^${name}\\{.*$`, "gm")) ?? []).join("\n") : "";
    found.set(name, `${type}: ${found.get(name)} ${names.join(",")} ${bounds.join(" ")}${series}`);
  }
  return found;
}

/** The labels of all series of a metric, in order. */
export function seriesOf(name: string, text: string): readonly string[] {
  return (text.match(new RegExp(`^${name}\\{.*\\}`, "gm")) ?? []).sort();
}
