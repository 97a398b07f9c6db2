import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { httpClientContract } from "./http-client.contract.ts";
import { startRawServer } from "./http-client.testing.ts";
import { createHttpClient, type HttpClient, type HttpClientOptions, httpClientOn } from "./http-client.ts";
import { httpWireContract } from "./http-client-wire.contract.ts";
import { httpProxyContract } from "./http-proxy.contract.ts";
import { bunDialer } from "./socket-bun.ts";
import { nodeDialer } from "./socket-node.ts";

const dialers = { "node:tls": nodeDialer, ...(process.versions.bun !== undefined && { "Bun.connect": bunDialer }) };

for (const [name, dialer] of Object.entries(dialers)) {
  const create = (options: HttpClientOptions): HttpClient => httpClientOn(dialer, options);
  httpClientContract(`the client on ${name}`, create);
  httpWireContract(`the client on ${name}`, create);
}
httpProxyContract("the client", createHttpClient);

it("picks the sockets of its runtime", async () => {
  const client = await createHttpClient({ baseUrl: "https://127.0.0.1:1" });
  const sending = client.send({ method: "GET", path: "/", query: "", headers: {} }, new AbortController().signal);
  await expect(sending).rejects.toMatchObject({ failure: "refused" });
  client.close();
});

it("lets the process end although a connection is idle", async () => {
  const server = await startRawServer((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
  const script = `
    const { createHttpClient } = await import(${JSON.stringify(new URL("./http-client.ts", import.meta.url).href)});
    const request = { method: "GET", path: "/", query: "", headers: {} };
    const client = await createHttpClient({ baseUrl: "${server.url}" });
    await client.send(request, new AbortController().signal);
    process.stdout.write("done");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const data of child.stdout) output += data;
  expect(output).toBe("done");
  await server.close();
});
