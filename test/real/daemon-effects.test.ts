// The effects of the daemon's flags, one by one, without an API server, in both programs.

import { existsSync, readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { daemonOf, finalError, runToEnd, sides } from "./daemon.ts";
import { callHttps } from "./https.ts";
import { type IdleDaemon, useIdleDaemons } from "./idle-daemon.ts";
import { freePorts } from "./processes.ts";
import { describeReal, eventually, logged } from "./suite.ts";

const LIMIT_MS = 180_000;

describeReal("flags of the daemon", () => {
  const daemons = useIdleDaemons("daemon-effects");

  it(
    "machinery/1.7.r130 --disabled-metrics hides metrics, and counts them",
    async () => {
      // Deviation: the Go program hides only metrics that it registers after it has read its flags; these are not among
      // them.
      const { page, kill } = await daemons().start(["--disabled-metrics=authentication_attempts,version_info"]);
      await page("/metrics");
      const text = await page("/metrics");
      expect(text.match(/^(?:authentication_attempts|version_info).*/gm)).toBeNull();
      expect(text.match(/^disabled_metrics_total .*$/gm)).toEqual(["disabled_metrics_total 2"]);
      expect(text.match(/^authorization_attempts_total/gm)).not.toBeNull();
      await kill();
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.7.r47 --permit-address-sharing does not wait for old connections when it is started again",
    async () => {
      // The listeners of both programs have this option with or without the flag.
      const first = await daemons().start(["--permit-address-sharing"]);
      await eventually(async () => {
        await first.page("/healthz");
        return isTimeWait(first.port) ? true : undefined;
      });
      await first.kill();
      const second = await daemons().start(["--permit-address-sharing"], { port: first.port });
      expect(isTimeWait(first.port)).toBe(true);
      await second.kill();
    },
    LIMIT_MS,
  );

  describe.each(sides)("%s", (side) => {
    const start = (flags: readonly string[], more: { port?: number; host?: string } = {}): Promise<IdleDaemon> =>
      daemons().start(flags, { command: daemonOf(side), ...more });
    const run = (flags: readonly string[]): ReturnType<typeof runToEnd> =>
      runToEnd(daemonOf(side), [...daemons().common, ...flags]);

    it(
      "machinery/2.4.4 serves the ciphers that are chosen with the certificate that it makes",
      async () => {
        const suite = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256";
        const { port, kill } = await start([`--tls-cipher-suites=${suite}`]);
        const cipher = await new Promise<string>((resolve, reject) => {
          const options = { host: "127.0.0.1", port, rejectUnauthorized: false, maxVersion: "TLSv1.2" } as const;
          const socket: TLSSocket = connect(options, () => {
            resolve(socket.getCipher().name);
            socket.destroy();
          }).on("error", reject);
        });
        expect(cipher).toBe("ECDHE-RSA-AES128-GCM-SHA256");
        await kill();
      },
      LIMIT_MS,
    );

    it(
      "counts a request when it is answered: a page of metrics does not count itself",
      async () => {
        const [port = 0] = await freePorts(1);
        const program = daemons().launch([...daemonOf(side), ...daemons().common, `--secure-port=${port}`]);
        await logged(program, "Serving securely on");
        const url = `https://127.0.0.1:${port}/metrics`;
        const counted = async (): Promise<readonly string[]> =>
          (await callHttps({ url, caPem: "", isInsecure: true })).text.match(
            /^(?:authenticated_user_requests|authentication_attempts|authorization_attempts_total)\{.*$/gm,
          ) ?? [];
        expect([await counted(), await counted()]).toEqual([
          [],
          [
            'authenticated_user_requests{username="other"} 1',
            'authentication_attempts{result="success"} 1',
            'authorization_attempts_total{result="allowed"} 1',
          ],
        ]);
        await program.stop("SIGKILL");
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r131, machinery/1.7.r132 --allow-metric-labels and its manifest fold other values into one",
      async () => {
        const manifest = daemons().file("lists.yaml", '"authentication_attempts,result": "failure"\n');
        for (const flag of [
          "--allow-metric-labels=authentication_attempts,result=failure",
          `--allow-metric-labels-manifest=${manifest}`,
        ]) {
          const { page, kill } = await start([flag]);
          await page("/metrics");
          const text = await page("/metrics");
          const lines = text.match(/^(?:authentication_attempts|cardinality_enforcement_unexpected_categ).*$/gm) ?? [];
          expect(lines.map((line) => line.replace(/[1-9]\d*$/, "N"))).toEqual([
            'authentication_attempts{result="unexpected"} N',
            "cardinality_enforcement_unexpected_categorizations_total N",
          ]);
          await kill();
        }
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r1 --profiling=false takes the debugging pages away",
      async () => {
        const usual = await start([]);
        expect(await usual.page("/debug/flags")).toContain("<title>/debug/flags/</title>");
        await usual.kill();
        const without = await start(["--profiling=false"]);
        for (const path of ["/debug/flags", "/debug/flags/v", "/debug/pprof", "/debug/pprof/"]) {
          expect(await without.page(path)).toBe("404 page not found\n");
        }
        await without.kill();
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r35 --bind-address is the only address it serves on; an unspecified one means IPv6 too",
      async () => {
        const one = await start(["--bind-address=127.0.0.2"], { host: "127.0.0.2" });
        expect(await reached("127.0.0.2", one.port)).toBe(true);
        expect(await reached("127.0.0.1", one.port)).toBe(false);
        await one.kill();
        const all = await start(["--bind-address=0.0.0.0"]);
        const hasIpv6 = existsSync("/proc/net/if_inet6") && readFileSync("/proc/net/if_inet6", "utf8") !== "";
        expect(await reached("::1", all.port)).toBe(hasIpv6);
        await all.kill();
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r36 --secure-port is the port it serves on; 0 serves nothing and still tries to lead",
      async () => {
        const mute = daemons().launch([...daemonOf(side), ...daemons().common, "--secure-port=0"]);
        await eventually(() => (/Attempting to acquire leader lease/i.test(mute.log()) ? true : undefined));
        expect(mute.log()).not.toContain("Serving securely");
        await mute.stop("SIGKILL");
        const { port, program, kill } = await start([]);
        expect(program.log()).toContain(`Serving securely on 127.0.0.1:${port}`);
        await kill();
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r46 --permit-port-sharing lets two daemons serve on one port, and a third without it does not",
      async () => {
        const first = await start(["--permit-port-sharing"]);
        const second = await start(["--permit-port-sharing"], { port: first.port });
        await logged(second.program, "Serving securely on");
        const third = await run([`--secure-port=${first.port}`]);
        expect(third.code).toBe(1);
        expect(third.stderr).toContain("address already in use");
        await Promise.all([first.kill(), second.kill()]);
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r57, machinery/1.7.r58 --authentication-tolerate-lookup-failure starts although the cluster cannot be asked, --authentication-skip-lookup does not ask",
      async () => {
        const asking = [`--authentication-kubeconfig=${daemons().kubeconfig}`];
        const strict = await run([...asking, "--secure-port=10257"]);
        expect(strict.code).toBe(1);
        expect(finalError(strict)).toContain("unable to load configmap based request-header-client-ca-file");
        const tolerant = await start([...asking, "--authentication-tolerate-lookup-failure"]);
        expect(tolerant.program.log()).toContain("Continuing without authentication configuration.");
        await tolerant.kill();
        const incurious = await start([...asking, "--authentication-skip-lookup"]);
        expect(incurious.program.log()).not.toContain("configmap");
        await incurious.kill();
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r15, machinery/1.7.r18, machinery/1.7.r28 takes the one value that there is of some flags, and refuses others",
      async () => {
        for (const [flag, good, bad, refusal] of [
          ["--leader-elect-resource-lock", "leases", "endpoints", 'resourceLock value must be "leases"'],
          ["--cloud-provider", "external", "gce", 'cloud provider "gce" was specified, but built-in cloud providers'],
          ["--cidr-allocator-type", "RangeAllocator", "CloudAllocator", "The ipam CloudAllocator is not available"],
        ] as const) {
          const refused = await run([`${flag}=${bad}`, "--secure-port=0"]);
          expect(refused.code).toBe(1);
          expect(finalError(refused)).toContain(refusal);
          const { program, kill } = await start([`${flag}=${good}`]);
          await logged(program, "leases/kube-controller-manager");
          await kill();
        }
      },
      LIMIT_MS,
    );

    it(
      "--master overrides the kubeconfig's server",
      async () => {
        const { program, kill } = await start(["--master=https://127.0.0.1:2"]);
        await logged(program, "127.0.0.1:2/apis/coordination.k8s.io");
        expect(program.log()).not.toContain("127.0.0.1:1/");
        await kill();
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r37 --disable-http2-serving leaves HTTP/1.1 only",
      async () => {
        for (const [flags, wanted] of [
          [[], "h2"],
          [["--disable-http2-serving"], "http/1.1"],
        ] as const) {
          const { port, kill } = await start(flags);
          expect((await shake(port, { ALPNProtocols: ["h2", "http/1.1"] }))?.alpn).toBe(wanted);
          await kill();
        }
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r45 --http2-max-streams-per-connection is told to clients",
      async () => {
        for (const [flags, wanted] of [
          [[], 100],
          [["--http2-max-streams-per-connection=7"], 7],
        ] as const) {
          const { port, kill } = await start(flags);
          const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
          const settings = await new Promise<{ maxConcurrentStreams?: number }>((resolve) =>
            session.once("remoteSettings", resolve),
          );
          expect(settings.maxConcurrentStreams).toBe(wanted);
          session.destroy();
          await kill();
        }
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r42 --tls-curve-preferences refuses clients that know other curves only",
      async () => {
        const { port, kill } = await start(["--tls-curve-preferences=24"]);
        expect(await shake(port, { ecdhCurve: "P-384" })).toBeDefined();
        expect(await shake(port, { ecdhCurve: "X25519" })).toBeUndefined();
        await kill();
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r34 --feature-gates decides whether an h2 connection of somebody unknown is closed after one request",
      async () => {
        const off = "--feature-gates=UnauthenticatedHTTP2DOSMitigation=false";
        for (const [flags, wanted] of [
          [[], true],
          [[off], false],
        ] as const) {
          const { port, kill } = await start(flags);
          expect(await isClosedAfterRequest(port)).toBe(wanted);
          await kill();
        }
      },
      LIMIT_MS,
    );
  });
});

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host, port }, () => resolve(socket));
    socket.on("error", reject);
  });
}

async function reached(host: string, port: number): Promise<boolean> {
  try {
    (await open(host, port)).destroy();
    return true;
  } catch {
    return false;
  }
}

/** Whether the system still keeps a connection of this port that its server closed first. */
function isTimeWait(port: number): boolean {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return ["/proc/net/tcp", "/proc/net/tcp6"].filter(existsSync).some((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .some((line) => {
        const [, address = "", , state] = line.trim().split(/\s+/);
        return address.endsWith(local) && state === "06";
      }),
  );
}

/** Undefined if refused. */
function shake(
  port: number,
  options: { ecdhCurve?: string; ALPNProtocols?: string[] },
): Promise<{ alpn: string | false | null } | undefined> {
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options }, () => {
      resolve({ alpn: socket.alpnProtocol });
      socket.destroy();
    });
    socket.on("error", () => resolve(undefined));
  });
}

async function isClosedAfterRequest(port: number): Promise<boolean> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const closed = new Promise<boolean>((resolve) => {
    session.on("goaway", () => resolve(true));
    session.on("close", () => resolve(true));
    session.on("error", () => resolve(true));
  });
  const ask = async (): Promise<string> => {
    let text = "";
    for await (const chunk of session.request({ ":path": "/healthz" })) text += chunk;
    return text;
  };
  expect(await ask()).toBe("ok");
  // A connection that stays open answers again; one that the server asked to close does not.
  const answer = await Promise.race([closed, ask().then((text) => text !== "ok")]).catch(() => true);
  session.destroy();
  return answer;
}
