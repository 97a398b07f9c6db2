// Writes the pages of the parity ledger from the checklists: texts come from the checklists, states and notes from the
// ledger. Rows that only the ledger has stay at the end of their page.

import { type LedgerPage, type LedgerRow, rowLines } from "./parity-ledger.ts";
import type { SpecPage } from "./parity-spec.ts";

export interface ImportedPage {
  readonly name: string;
  readonly area: string;
  readonly title: string;
  readonly rows: number;
  readonly markdown: string;
}

export function importPages(spec: readonly SpecPage[], ledger: readonly LedgerPage[]): ImportedPage[] {
  const known = new Map(ledger.flatMap(({ rows }) => rows.map((row) => [row.id, row] as const)));
  const inSpec = new Set(spec.flatMap(({ sections }) => sections.flatMap(({ rows }) => rows.map(({ id }) => id))));
  return spec.map((page) => {
    const sections = page.sections.map(({ title, notes, rows }) => ({
      title,
      notes,
      rows: rows.map(({ id, text }): LedgerRow => ({ state: "planned", notes: [], ...known.get(id), id, text })),
    }));
    const own = ledger.find(({ name }) => name === page.name)?.rows.filter(({ id }) => !inSpec.has(id)) ?? [];
    if (own.length > 0) sections.push({ title: addedTitle, notes: [], rows: own });
    return {
      name: page.name,
      area: page.area,
      title: page.title,
      rows: sections.reduce((sum, { rows }) => sum + rows.length, 0),
      markdown: `${[`# ${page.title}`, introduction(page), ...sections.flatMap(sectionBlocks)].join("\n\n")}\n`,
    };
  });
}

const addedTitle = "Found while porting";

function introduction({ shared }: SpecPage): string {
  const own = "[The index](../parity.md) says how rows are read and closed.";
  return shared === undefined ? own : `${own} What the controllers of this area share: [${shared}.md](${shared}.md).`;
}

function sectionBlocks(section: {
  readonly title: string;
  readonly notes: readonly string[];
  readonly rows: readonly LedgerRow[];
}): string[] {
  return [`## ${section.title}`, ...section.notes, ...section.rows.map(rowLines)];
}

/** The index of the pages, a table per area. */
export function indexOfPages(pages: readonly ImportedPage[]): string {
  const areas = [...new Set(pages.map(({ area }) => area))];
  return areas
    .map((area) => {
      const rows = pages
        .filter((page) => page.area === area)
        .map(({ name, title, rows: count }) => `| [${name}](parity/${name}.md) | ${title} | ${count} |`);
      return [
        `### ${area[0]?.toUpperCase()}${area.slice(1)}`,
        "",
        "| page | about | rows |",
        "|---|---|---|",
        ...rows,
      ].join("\n");
    })
    .join("\n\n");
}
