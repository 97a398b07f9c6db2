// The tutorial and the transcript of the README, played command by command.
//   TUTORIAL_RECORD=1 bun test --timeout 600000 ./test/real/tutorial.test.ts     writes the output into the pages

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeReal } from "./suite.ts";
import { comparable, type PlayedCommand, play, recorded } from "./tutorial-play.ts";

const root = join(import.meta.dirname, "../..");

describeReal("the output of commands in the documentation", () => {
  it.each(["docs/tutorial.md", "README.md"])(
    "%s",
    async (path) => {
      const file = join(root, path);
      const page = readFileSync(file, "utf8");
      const all: PlayedCommand[] = [];
      await play(page, (played) => all.push(played));
      expect(all.length).toBeGreaterThan(0);
      if (process.env.TUTORIAL_RECORD === "1") {
        writeFileSync(file, recorded(page, all));
        return;
      }
      const shown = ({ command }: PlayedCommand, text: string): readonly string[] => [
        `$ ${command}`,
        ...comparable(text),
      ];
      expect(all.flatMap((played) => shown(played, played.printed))).toEqual(
        all.flatMap((played) => shown(played, played.told)),
      );
    },
    600_000,
  );
});
