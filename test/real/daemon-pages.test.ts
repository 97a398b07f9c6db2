// Every page of the daemon's port compared with the Go program's, both without an API server: codes, headers and
// bodies.

import { beforeAll, expect, it } from "vitest";
import { goDaemon, ourDaemon, sharedControllers } from "./daemon.ts";
import { callHttps, type HttpsAnswer } from "./https.ts";
import { useIdleDaemons } from "./idle-daemon.ts";
import { freePorts } from "./processes.ts";
import { describeReal, eventually } from "./suite.ts";

const LIMIT_MS = 180_000;

interface Ask {
  readonly id: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const json = (kind: string, version: string): string => `application/json;g=config.k8s.io;v=${version};as=${kind}`;
const yaml = (kind: string, version: string): string => `application/yaml;g=config.k8s.io;v=${version};as=${kind}`;
const accepts = (kind: "Flagz" | "Statusz"): readonly string[] => [
  "",
  "*/*",
  "text/plain",
  "text/*",
  "text/plain;charset=utf-8",
  "text/html",
  "application/json",
  "application/*",
  "application/cbor",
  json(kind, "v1beta1"),
  json(kind, "v1alpha1"),
  json(kind, "v1"),
  json("Other", "v1beta1"),
  yaml(kind, "v1beta1"),
  yaml(kind, "v1alpha1"),
  "bad json,*/*",
  `text/html,${json(kind, "v1beta1")}`,
  `text/plain;q=0.2,${json(kind, "v1alpha1")};q=0.9`,
  `${json(kind, "v1beta1")};q=0.1,text/plain`,
  `application/vnd.kubernetes.protobuf;g=config.k8s.io;v=v1beta1;as=${kind}`,
];
/** The cases of upstream's table that are not above. CBOR needs a gate that is off. */
const upstreamAccepts = (kind: "Flagz" | "Statusz"): readonly string[] => [
  "application/xml",
  "application/json;v=v1beta1;g=config.k8s.io",
  `application/json;v=foo;g=config.k8s.io;as=${kind},*/*`,
  `application/cbor;v=v1beta1;g=config.k8s.io;as=${kind}`,
  `${json(kind, "v1alpha1")},${json(kind, "v1beta1")}`,
  `${json(kind, "v1beta1")},${json(kind, "v1alpha1")}`,
];

const asks: readonly Ask[] = [
  { id: "machinery/2.2.r1", path: "/healthz" },
  { id: "machinery/2.2.r1", path: "/healthz?verbose" },
  { id: "machinery/2.2.r1", path: "/healthz?verbose=false" },
  { id: "machinery/2.2.r1", path: "/healthz?exclude=leaderElection" },
  { id: "machinery/2.2.r1", path: "/healthz?verbose&exclude=leaderElection&exclude=b&exclude=a" },
  { id: "machinery/2.2.r1", path: "/healthz", method: "POST" },
  { id: "machinery/2.2.r1", path: "/healthz", method: "HEAD" },
  { id: "machinery/2.2.r2", path: "/healthz/leaderElection" },
  { id: "machinery/2.2.r2", path: "/healthz/" },
  { id: "machinery/2.2.r3", path: "/livez" },
  { id: "machinery/2.2.r3", path: "/readyz?verbose" },
  { id: "machinery/2.2.r5", path: "/metrics/slis", method: "DELETE" },
  { id: "machinery/2.2.r6", path: "/configz" },
  { id: "machinery/2.2.r6", path: "/configz", method: "PUT" },
  { id: "machinery/2.2", path: "/debug/pprof" },
  { id: "machinery/2.2.r10", path: "/debug/flags" },
  { id: "machinery/2.2.r10", path: "/debug/flags/" },
  { id: "machinery/2.2.r10", path: "/debug/flags/other" },
  { id: "machinery/2.2.r11", path: "/debug/flags/v" },
  { id: "machinery/2.2.r11", path: "/debug/flags/v", method: "PUT", body: "2" },
  { id: "machinery/2.2.r11", path: "/debug/flags/v", method: "PUT", body: "x" },
  { id: "machinery/2.2.r11", path: "/debug/flags/v", method: "PUT", body: "-1" },
  { id: "machinery/2.2.r11", path: "/debug/flags/v", method: "PUT" },
  { id: "machinery/2.2.r13", path: "/" },
  { id: "machinery/2.2.r13", path: "/nothing" },
  { id: "machinery/2.2.r13", path: "/version" },
  { id: "machinery/2.2.r13", path: "/metrics/" },
  { id: "machinery/2.2.r13", path: "/debug/controllers/replicaset-controller" },
  { id: "machinery/2.1.7", path: "/forbidden/x?a=b" },
  { id: "machinery/2.1.7", path: "/forbidden/<x>", method: "DELETE" },
  { id: "machinery/2.1.7", path: "/forbidden/x", headers: { accept: "application/yaml" } },
  { id: "machinery/2.1.7", path: "/forbidden/x", headers: { accept: "application/vnd.kubernetes.protobuf" } },
  { id: "machinery/2.1.7", path: "/forbidden/x", headers: { accept: "text/html" } },
  { id: "machinery/2.1.7", path: "/forbidden/x?pretty=true" },
  { id: "machinery/2.1.7", path: "/forbidden/x", headers: { "user-agent": "curl/8" } },
  { id: "machinery/2.1.7", path: "/forbidden/x?pretty=false", headers: { "user-agent": "Mozilla/5.0" } },
  ...accepts("Flagz").map((accept) => ({ id: "machinery/2.3.1", path: "/flagz", headers: { accept } })),
  ...accepts("Statusz").map((accept) => ({ id: "machinery/2.3.1", path: "/statusz", headers: { accept } })),
  ...upstreamAccepts("Flagz").map((accept) => ({ id: "machinery/8.r11", path: "/flagz", headers: { accept } })),
  ...upstreamAccepts("Statusz").map((accept) => ({ id: "machinery/8.r11", path: "/statusz", headers: { accept } })),
];

/** Replaces values that always differ: ports, times, versions of the runtime, the random delimiter. */
function normalised(text: string): string {
  return text
    .replace(/(secure-port\W+)\d+/g, "$1PORT")
    .replace(/("?startTime"?: ?)"[^"]*"/g, "$1TIME")
    .replace(/("?uptimeSeconds"?: ?)\d+/g, "$1N")
    .replace(/("?goVersion"?: ?)"?[\w.]+"?/g, "$1RUNTIME")
    .replace(/^(Started|Up|Go version)(:|: |=| ) .*$/gm, "$1 VALUE")
    .replace(/^(Binary version|Emulation version|Paths)(?::|: |=| ) +/gm, "$1 ")
    .replace(/^([a-z0-9-]+)(?:: |:|=| )(.*)$/gm, "$1 $2")
    .replace(
      '{"Group":"events.k8s.io","Resource":"events"},{"Group":"","Resource":"events"}',
      '{"Group":"","Resource":"events"},{"Group":"events.k8s.io","Resource":"events"}',
    );
}

describeReal("the pages of the daemon", () => {
  const daemons = useIdleDaemons("daemon-pages");
  let urls: readonly string[] = [];

  async function start(flags: readonly string[]): Promise<readonly string[]> {
    const ports = await freePorts(2);
    const open =
      "--authorization-always-allow-paths=/healthz*,/livez,/readyz,/metrics*,/configz,/flagz,/statusz,/debug/*,/,/nothing,/version";
    const all = [
      `--kubeconfig=${daemons().kubeconfig}`,
      `--controllers=${sharedControllers.join(",")}`,
      open,
      ...flags,
    ];
    const programs = [ourDaemon, goDaemon()].map((command, i) =>
      daemons().launch([...command, ...all, `--secure-port=${ports[i]}`]),
    );
    const found = ports.map((port) => `https://127.0.0.1:${port}`);
    for (const [i, url] of found.entries()) {
      await eventually(async () => {
        if (programs[i]?.isRunning === false) throw new Error(programs[i].log());
        return await ask(url, { id: "", path: "/livez" }).catch(() => undefined);
      });
    }
    return found;
  }

  function ask(url: string, { path, method = "GET", headers = {}, body }: Ask): Promise<HttpsAnswer> {
    return callHttps({
      url: url + path,
      method,
      headers,
      caPem: "",
      isInsecure: true,
      ...(body === undefined ? {} : { rawBody: body }),
    });
  }

  async function expectSame(both: readonly string[], request: Ask): Promise<void> {
    const [ours, go] = await Promise.all(both.map((url) => ask(url, request)));
    const shown = (answer: HttpsAnswer | undefined): object => {
      const {
        date: _,
        "content-length": _2,
        "transfer-encoding": _3,
        connection: _4,
        "keep-alive": _5,
        ...headers
      } = answer?.headers ?? {};
      return { status: answer?.status, headers, text: normalised(answer?.text ?? "") };
    };
    expect({ ...request, ...shown(ours) }).toEqual({ ...request, ...shown(go) });
  }

  beforeAll(async () => {
    urls = await start([]);
  }, LIMIT_MS);

  it.each(asks.map((request) => [request.id, request.method ?? "GET", request.path, request] as const))(
    "%s answers %s %s as the Go program does",
    async (_id, _method, _path, request) => expectSame(urls, request),
    LIMIT_MS,
  );

  it("machinery/2.3.2, machinery/2.3.3 warns of the old version, and opens its text with a warning not to parse it", async () => {
    const [url = ""] = urls;
    const old = await ask(url, { id: "", path: "/statusz", headers: { accept: json("Statusz", "v1alpha1") } });
    expect(old.headers.warning).toBe(
      '299 - "This version of the statusz endpoint is deprecated. Please use a newer version."',
    );
    const first = await ask(url, { id: "", path: "/flagz" });
    expect(first.text).toMatch(
      /^\nkube-controller-manager flagz\nWarning: This endpoint is not meant to be machine parseable/,
    );
    expect((await ask(url, { id: "", path: "/flagz" })).text).toBe(first.text);
  });

  it("machinery/2.3.5 shows its start time, version and paths on /statusz", async () => {
    const [url = ""] = urls;
    const { text } = await ask(url, { id: "", path: "/statusz", headers: { accept: json("Statusz", "v1beta1") } });
    const status = JSON.parse(text) as { startTime: string; uptimeSeconds: number };
    expect(status).toMatchObject({
      binaryVersion: "1.36.4",
      emulationVersion: "1.36",
      paths: ["/configz", "/flagz", "/healthz", "/metrics"],
    });
    expect(status.startTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Number.isInteger(status.uptimeSeconds) && status.uptimeSeconds >= 0).toBe(true);
  });

  it("machinery/6.n3, machinery/2.2.r5 counts health checks on /metrics/slis until they are cleared", async () => {
    for (const url of urls) await ask(url, { id: "", path: "/metrics/slis", method: "DELETE" });
    for (const url of urls)
      for (const path of ["/healthz", "/healthz?verbose", "/healthz?exclude=leaderElection"])
        await ask(url, { id: "", path });
    const [ours, go] = await Promise.all(urls.map((url) => ask(url, { id: "", path: "/metrics/slis" })));
    const samples = (text = ""): string => text.replace(/^process_start_time_seconds .*$/m, "");
    expect(samples(ours?.text)).toBe(samples(go?.text));
    expect(ours?.text).toContain(
      'kubernetes_healthchecks_total{name="leaderElection",status="success",type="healthz"} 2',
    );
  });

  it(
    "machinery/1.2.3, machinery/2.2.r7, machinery/2.2.r8 serves less when it is told to",
    async () => {
      const gates = "--feature-gates=ComponentFlagz=false,ComponentStatusz=false";
      const both = await start(["--profiling=false", gates, "--leader-elect=false"]);
      for (const path of [
        "/debug/flags",
        "/debug/flags/v",
        "/debug/pprof",
        "/debug/pprof/",
        "/flagz",
        "/statusz",
        "/healthz?verbose",
      ]) {
        await expectSame(both, { id: "", path });
      }
    },
    LIMIT_MS,
  );
});
