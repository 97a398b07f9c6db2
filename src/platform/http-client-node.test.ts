import { expect, it } from "vitest";
import { httpClientContract } from "./http-client.contract.ts";
import { createHttpClient } from "./http-client.ts";
import { createNodeHttpClient } from "./http-client-node.ts";

// On Bun the name undici leads to a stand-in of Bun's own, so the suite for it runs on Node only.
if (process.versions.bun === undefined) httpClientContract("undici on Node", createNodeHttpClient);

it("picks the client of its runtime", async () => {
  const client = await createHttpClient({ baseUrl: "https://127.0.0.1:1" });
  await expect(
    client.send({ method: "GET", path: "/", query: "", headers: {} }, new AbortController().signal),
  ).rejects.toMatchObject({ failure: "refused" });
  client.close();
});
