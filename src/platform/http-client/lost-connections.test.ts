import { type AddressInfo, connect, createServer } from "node:net";
import { expect, it } from "vitest";
import { lostConnections, lostIn, portsKey } from "./lost-connections.ts";

it("finds connections with repeated retransmissions", () => {
  const rows = [
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
    // Listening, idle, sending, fifth and sixth retransmission, peer with a full window, connecting.
    "   0: 0100007F:B239 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 2 0 100",
    "   1: 0100090A:A001 0200090A:15B3 01 00000000:00000000 02:00000A2C 00000000     0        0 1 2 0 20",
    "   2: 0100090A:A002 0200090A:15B3 01 00000004:00000000 01:0000009A 00000004     0        0 1 2 0 20",
    "   3: 0100090A:A003 0200090A:15B3 01 00000004:00000000 01:0000009A 00000005     0        0 1 2 0 20",
    " 104: 0000000000000000FFFF00000100090A:A004 0000000000000000FFFF00000200090A:15B3 01 00000004:00000000 01:0000009A 00000010     0        0 1",
    "   5: 0100090A:A005 0200090A:15B3 01 00000004:00000000 04:0000009A 00000009     0        0 1 2 0 20",
    "   6: 0100090A:A006 0200090A:15B3 02 00000001:00000000 01:0000009A 00000007     0        0 1 2 0 20",
  ];
  expect([...lostIn(`${rows.join("\n")}\n`)]).toEqual([portsKey(0xa003, 5555), portsKey(0xa004, 5555)]);
});

it("does not report a connection whose peer is reachable but silent", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  await new Promise((resolve) => socket.write("request", resolve));
  expect(lostConnections()?.has(portsKey(socket.localPort ?? 0, port))).not.toBe(true);
  socket.destroy();
  server.close();
});
