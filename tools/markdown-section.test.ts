import { expect, it } from "vitest";
import { withSection } from "./markdown-section.ts";

it.each([
  ["in the middle", "# A\n\n## B\n\nold\n\n## C\n\nc\n", "# A\n\n## B\n\nnew\n\n## C\n\nc\n"],
  ["at the end", "# A\n\n## B\n\nold\n", "# A\n\n## B\n\nnew\n"],
  ["that is missing", "# A\n", "# A\n\n## B\n\nnew\n"],
])("withSection replaces a section %s, and does so once", (_, before, after) => {
  expect(withSection(before, "## B", "new\n")).toBe(after);
  expect(withSection(after, "## B", "new")).toBe(after);
});
