// What flags of the daemon do, one by one, without an API server: metrics, logging, sockets and TLS.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { goDaemon, ourDaemon, runToEnd, sharedControllers } from "./daemon.ts";
import { callHttps } from "./https.ts";
import { freePorts, openProcessScope, type ProcessScope, type Program } from "./processes.ts";
import { describeReal, eventually } from "./suite.ts";

const LIMIT_MS = 60_000;
const directory = mkdtempSync(join(tmpdir(), "daemon-effects-"));
const kubeconfig = join(directory, "kubeconfig");
writeFileSync(
  kubeconfig,
  JSON.stringify({
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  }),
);

interface Running {
  readonly program: Program;
  readonly port: number;
  page(path: string): Promise<string>;
}

describeReal("flags of the daemon", () => {
  let scope: ProcessScope;
  beforeAll(() => {
    scope = openProcessScope("daemon-effects");
  });
  afterAll(async () => {
    await scope?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const common = [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${sharedControllers.join(",")}`,
    "--authorization-always-allow-paths=/*",
    "--bind-address=127.0.0.1",
  ];

  async function start(flags: readonly string[], at?: number, command = ourDaemon): Promise<Running> {
    const port = at ?? (await freePorts(1))[0] ?? 0;
    const program = scope.start({
      name: "daemon",
      command: [...command, ...common, `--secure-port=${port}`, ...flags],
    });
    const page = async (path: string): Promise<string> =>
      (await callHttps({ url: `https://127.0.0.1:${port}${path}`, caPem: "", isInsecure: true })).text;
    await eventually(async () => {
      if (!program.isRunning) throw new Error(program.log());
      return await page("/healthz").catch(() => undefined);
    });
    return { program, port, page };
  }

  it(
    "--disabled-metrics hides metrics, and counts them",
    async () => {
      const { page, program } = await start(["--disabled-metrics=authentication_attempts,rest_client_requests_total"]);
      const text = await page("/metrics");
      expect(text).not.toMatch(/^authentication_attempts/m);
      expect(text).not.toMatch(/^rest_client_requests_total/m);
      expect(text).toMatch(/^disabled_metrics_total 2$/m);
      expect(text).toMatch(/^authorization_attempts_total/m);
      await program.stop("SIGKILL");
    },
    LIMIT_MS,
  );

  it(
    "--allow-metric-labels and its manifest fold other values into one",
    async () => {
      const manifest = join(directory, "lists.yaml");
      writeFileSync(manifest, '"authentication_attempts,result": "failure"\n');
      for (const flag of [
        "--allow-metric-labels=authentication_attempts,result=failure",
        `--allow-metric-labels-manifest=${manifest}`,
      ]) {
        const { page, program } = await start([flag]);
        const text = await page("/metrics");
        expect(text).toMatch(/^authentication_attempts\{result="unexpected"\} \d+$/m);
        expect(text).toMatch(/^cardinality_enforcement_unexpected_categorizations_total [1-9]/m);
        await program.stop("SIGKILL");
      }
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.7.r133 --logging-format=json writes one object per line, with the Go program's fields",
    async () => {
      const args = [
        ...common,
        "--secure-port=0",
        "--logging-format=json",
        "-v=1",
        "--leader-elect=false",
        "--kubeconfig=/missing",
      ];
      const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
      const last = (text: string): Record<string, unknown> =>
        JSON.parse(text.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
      for (const line of ours.stderr.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("ts");
      expect(Object.keys(last(ours.stderr))).toEqual(Object.keys(last(go.stderr)));
      expect(last(ours.stderr).err).toBe(last(go.stderr).err);
      for (const ended of [ours, go]) expect(last(ended.stderr).caller).toMatch(/^[a-z]+\/[a-z]+\.(?:ts|go):\d+$/);
      const flagLine = (text: string): unknown =>
        text
          .split("\n")
          .filter((line) => line.includes("FLAG: --v="))
          .map((line) => {
            const { msg, v } = JSON.parse(line) as { msg: string; v: number };
            return [msg.trim(), v];
          });
      expect(flagLine(ours.stderr)).toEqual(flagLine(go.stderr));
    },
    LIMIT_MS,
  );

  it(
    "--log-text-split-stream and --log-json-split-stream part errors from information, behind their gate",
    async () => {
      for (const format of ["text", "json"]) {
        const gate = "--feature-gates=LoggingAlphaOptions=true";
        const flags = [
          `--logging-format=${format}`,
          `--log-${format}-split-stream`,
          `--log-${format}-info-buffer-size=1Mi`,
          "-v=1",
          gate,
        ];
        const ended = await runToEnd(ourDaemon, [...common, "--secure-port=0", "--kubeconfig=/missing", ...flags]);
        expect(ended.stdout).toContain("FLAG: --v=");
        expect(ended.stdout).not.toContain("command failed");
        expect(ended.stderr).toContain("command failed");
        expect(ended.stderr.trim().split("\n")).toHaveLength(1);
      }
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.7.r136 --vmodule raises the verbosity of the source files it names",
    async () => {
      const quiet = await runToEnd(ourDaemon, [...common, "--secure-port=0", "--kubeconfig=/missing"]);
      expect(quiet.stderr).not.toContain("FLAG:");
      const loud = await runToEnd(ourDaemon, [
        ...common,
        "--secure-port=0",
        "--kubeconfig=/missing",
        "--vmodule=daem*=1",
      ]);
      expect(loud.stderr).toMatch(/ daemon\.ts:\d+\] FLAG: --vmodule="daem\*=1"/);
    },
    LIMIT_MS,
  );

  it(
    "--permit-port-sharing lets two daemons serve on one port",
    async () => {
      const first = await start(["--permit-port-sharing"]);
      const second = await start(["--permit-port-sharing"], first.port);
      await eventually(() => (second.program.log().includes("Serving securely on") ? true : undefined));
      const third = await runToEnd(ourDaemon, [...common, `--secure-port=${first.port}`]);
      expect(third.stderr).toContain("address already in use");
      await Promise.all([first, second].map(({ program }) => program.stop("SIGKILL")));
    },
    LIMIT_MS,
  );

  it(
    "--secure-port=0 serves nothing and still tries to lead",
    async () => {
      const ended = await runToEnd(ourDaemon, [...common, "--secure-port=0"], 3000);
      expect(ended.code).toBe("SIGKILL");
      expect(ended.stderr).toContain("Attempting to acquire leader lease");
      expect(ended.stderr).not.toContain("Serving securely");
    },
    LIMIT_MS,
  );

  it(
    "--authentication-skip-lookup starts although the cluster cannot be asked",
    async () => {
      const { program, page } = await start([
        `--authentication-kubeconfig=${kubeconfig}`,
        "--authentication-skip-lookup",
      ]);
      expect(await page("/healthz")).toBe("ok");
      await program.stop("SIGKILL");
    },
    LIMIT_MS,
  );

  it(
    "--master overrides the kubeconfig's server",
    async () => {
      const { program } = await start(["--master=https://127.0.0.1:2"]);
      await eventually(() => (program.log().includes("127.0.0.1:2/apis/coordination.k8s.io") ? true : undefined));
      expect(program.log()).not.toContain("127.0.0.1:1/");
      await program.stop("SIGKILL");
    },
    LIMIT_MS,
  );

  it(
    "--http2-max-streams-per-connection is told to clients",
    async () => {
      for (const [flags, wanted] of [
        [[], 100],
        [["--http2-max-streams-per-connection=7"], 7],
      ] as const) {
        const { program, port } = await start(flags);
        const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
        const settings = await new Promise<{ maxConcurrentStreams?: number }>((resolve) =>
          session.once("remoteSettings", resolve),
        );
        expect(settings.maxConcurrentStreams).toBe(wanted);
        session.destroy();
        await program.stop("SIGKILL");
      }
    },
    LIMIT_MS,
  );

  it(
    "--tls-curve-preferences refuses clients that know other curves only",
    async () => {
      const { program, port } = await start(["--tls-curve-preferences=24"]);
      const shake = (ecdhCurve: string): Promise<boolean> =>
        new Promise((resolve) => {
          const socket: TLSSocket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ecdhCurve }, () => {
            resolve(true);
            socket.destroy();
          });
          socket.on("error", () => resolve(false));
        });
      expect(await shake("P-384")).toBe(true);
      expect(await shake("X25519")).toBe(false);
      await program.stop("SIGKILL");
    },
    LIMIT_MS,
  );

  it(
    "an h2 connection of somebody unknown is closed after one request, as the Go program does, unless a gate is off",
    async () => {
      const isClosed = async ({ port }: Running): Promise<boolean> => {
        const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
        const closed = new Promise<boolean>((resolve) => {
          session.on("goaway", () => resolve(true));
          session.on("close", () => resolve(true));
          session.on("error", () => resolve(true));
          setTimeout(() => resolve(false), 1500);
        });
        const stream = session.request({ ":path": "/healthz" });
        let text = "";
        for await (const chunk of stream) text += chunk;
        expect(text).toBe("ok");
        const answer = await closed;
        session.destroy();
        return answer;
      };
      const off = "--feature-gates=UnauthenticatedHTTP2DOSMitigation=false";
      for (const command of [goDaemon(), ourDaemon]) {
        const usual = await start([], undefined, command);
        expect(await isClosed(usual)).toBe(true);
        await usual.program.stop("SIGKILL");
        const lenient = await start([off], undefined, command);
        expect(await isClosed(lenient)).toBe(false);
        await lenient.program.stop("SIGKILL");
      }
    },
    LIMIT_MS,
  );
});
