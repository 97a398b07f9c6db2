// Replaces one generated section of a handwritten Markdown document.

/** The document with `body` under `heading` (such as `## Counts`); a missing heading is added at the end. */
export function withSection(markdown: string, heading: string, body: string): string {
  const section = `${heading}\n\n${body.trim()}\n`;
  const from = `\n${markdown}`.indexOf(`\n${heading}\n`);
  if (from < 0) return `${markdown.trimEnd()}\n\n${section}`;
  const next = markdown.indexOf("\n## ", from);
  const rest = next < 0 ? "" : markdown.slice(next);
  return `${markdown.slice(0, from)}${section}${rest}`;
}
