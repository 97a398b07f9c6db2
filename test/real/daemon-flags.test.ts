// The command line compared with the Go program's help, and /configz with its /configz in the same run: for the
// defaults, and with every flag changed that has a field there.

import { expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { knownControllerNames, offByDefaultNames } from "#kit/known-controllers.ts";
import { flagTable } from "#manager/options/flag-table.ts";
import type { BoundFlag } from "#manager/options/flags/bound-flag.ts";
import { goDaemon, ourDaemon, runToEnd, sharedControllers } from "./daemon.ts";
import { callHttps } from "./https.ts";
import { useIdleDaemons } from "./idle-daemon.ts";
import { type Command, freePorts } from "./processes.ts";
import { describeReal, eventually } from "./suite.ts";

interface HelpFlag {
  readonly section: string;
  readonly name: string;
  /** As in the help: "string", "duration"; empty for a switch. */
  readonly type: string;
  readonly default: string;
}

/** Names, types, defaults and sections of a help text, in its order. */
function readHelp(text: string): HelpFlag[] {
  const flags: HelpFlag[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    section = /^(\S.* flags):$/.exec(line)?.[1] ?? section;
    const start = /^ {2}(?:-\w, | {4})--([a-z0-9-]+)(?: (\S+))? {2,}\S/.exec(line);
    if (start !== null) flags.push({ section, name: start[1] ?? "", type: start[2] ?? "", default: "" });
    const shown = /\(default (.*)\)$/.exec(line);
    const last = flags.at(-1);
    // Only the last line of a flag's text ends with its default; gates have their defaults inside the list.
    if (shown !== null && last !== undefined && !line.includes(" - default=")) {
      flags[flags.length - 1] = { ...last, default: shown[1] ?? "" };
    }
  }
  return flags;
}

const table = flagTable({
  knownControllers: knownControllerNames,
  disabledByDefault: offByDefaultNames,
  featureGateLines: new FeatureGates(featureGateTable(), "1.36").helpLines(),
});
const allFlags: readonly BoundFlag[] = table.flatMap(({ flags }) => flags);
const configFlags = allFlags.filter(({ path }) => path.startsWith("config."));

/** Values for flags that accept few values, or without which the program would not start. */
const special: Readonly<Record<string, string>> = {
  controllers: sharedControllers
    .map((name) => name.replace(/^serviceaccount-controller$/, "serviceaccount"))
    .join(",")
    .concat(",-job,-ttl"),
  "leader-elect": "false",
  "leader-elect-resource-lock": "endpoints",
  "cloud-provider": "external",
  "cidr-allocator-type": "",
  "service-cluster-ip-range": "10.0.0.0/24,fd00::/112",
  "kube-api-content-type": "application/json",
  "kube-api-qps": "7.25",
  "mirroring-max-endpoints-per-subset": "17",
  "attach-detach-reconcile-sync-period": "1m7s",
  "enable-leader-migration": "true",
};
/** Not changed: these would conflict with others, or the program needs them. */
const untouched = new Set([
  "kubeconfig",
  "cluster-signing-kubelet-serving-cert-file",
  "cluster-signing-kubelet-serving-key-file",
  "cluster-signing-kubelet-client-cert-file",
  "cluster-signing-kubelet-client-key-file",
  "cluster-signing-kube-apiserver-client-cert-file",
  "cluster-signing-kube-apiserver-client-key-file",
  "cluster-signing-legacy-unknown-cert-file",
  "cluster-signing-legacy-unknown-key-file",
]);

function changedValue({ name, type, default: value }: BoundFlag): string {
  const chosen = special[name];
  if (chosen !== undefined) return chosen;
  switch (type.shownAs) {
    case "":
      return String(value !== true);
    case "duration":
      return "1h2m3.004s";
    case "int":
    case "int32":
      return String(Number(value) + 7);
    case "float32":
    case "float":
      return "0.375";
    default:
      return `changed <&> "${name}"`;
  }
}

const flagzAccept = "application/json;g=config.k8s.io;v=v1beta1;as=Flagz";

describeReal("the command line", () => {
  const daemons = useIdleDaemons("daemon-flags");

  /** Starts the program without an API server and reads some of its pages. */
  async function pagesOf(
    command: Command,
    flags: readonly string[],
    pages: readonly string[],
    accept = "*/*",
  ): Promise<string[]> {
    const [port = 0] = await freePorts(1);
    const url = `https://127.0.0.1:${port}`;
    const open = "--authorization-always-allow-paths=/*";
    const own = [`--kubeconfig=${daemons().kubeconfig}`, `--secure-port=${port}`, open];
    const program = daemons().launch([...command, ...own, ...flags]);
    const read = async (path: string): Promise<string | undefined> => {
      try {
        return (await callHttps({ url: url + path, caPem: "", headers: { accept }, isInsecure: true })).text;
      } catch (error) {
        if (!program.isRunning) throw new Error(program.log().slice(-2000), { cause: error });
        return undefined;
      }
    };
    const texts: string[] = [];
    for (const page of pages) texts.push(await eventually(() => read(page)));
    await program.stop("SIGKILL");
    return texts.map((text) => text.replaceAll(String(port), "PORT"));
  }
  const controllers = `--controllers=${sharedControllers.join(",")}`;
  /** The Go program lists these in random order at each start. */
  const ordered = (configz: string): string =>
    configz.replace(
      '{"Group":"events.k8s.io","Resource":"events"},{"Group":"","Resource":"events"}',
      '{"Group":"","Resource":"events"},{"Group":"events.k8s.io","Resource":"events"}',
    );

  it("machinery/1.7 has the Go program's flags: names, types, defaults, sections and their order", async () => {
    const [ours, go] = await Promise.all([runToEnd(ourDaemon, ["--help"]), runToEnd(goDaemon(), ["-h"])]);
    expect(ours.code).toBe(0);
    expect(ours.stderr).toBe("");
    const [ourFlags, goFlags] = [readHelp(ours.stdout), readHelp(go.stdout)];
    expect(goFlags.length).toBeGreaterThan(140);
    expect(ourFlags).toEqual(goFlags);
  });

  it("machinery/1.1.4 lists the Go program's controllers and feature gates in help", async () => {
    const [ours, go] = await Promise.all([runToEnd(ourDaemon, ["--help"]), runToEnd(goDaemon(), ["--help"])]);
    const gates = (text: string): string[] => text.match(/kube:\w+=true\|false \(.*\)/g) ?? [];
    const lists = (text: string): string[] =>
      text.match(/(?:All|Disabled-by-default) controllers: .*?(?= \(default|$)/gm) ?? [];
    expect(gates(go.stdout).length).toBeGreaterThan(100);
    expect(gates(ours.stdout)).toEqual(gates(go.stdout));
    expect(lists(ours.stdout)).toEqual(lists(go.stdout));
  });

  it("machinery/1.1.6 prints versions", async () => {
    for (const args of [["--version"], ["--version=true"], ["--version", "--bind-address=::"], ["--version=raw"]]) {
      const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
      const facts = (text: string): string => text.replace(/(GitCommit|GoVersion|Compiler|Platform):"[^"]*"/g, "");
      expect([ours.code, facts(ours.stdout), ours.stderr]).toEqual([go.code, facts(go.stdout), go.stderr]);
    }
  });

  it("machinery/1.1.3 prints pflag's notice for flags that are deprecated", async () => {
    const args = ["--allow_untagged_cloud", "--node-sync-period=1s", "--controllers=nonsense"];
    const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
    const notices = (text: string): string[] => text.match(/^Flag --.*$/gm) ?? [];
    expect(notices(go.stderr)).toHaveLength(2);
    expect(notices(ours.stderr)).toEqual(notices(go.stderr));
  });

  it("machinery/2.2 shows the Go program's /configz by default", async () => {
    const [ours, go] = await Promise.all(
      [ourDaemon, goDaemon()].map((command) => pagesOf(command, [controllers], ["/configz"])),
    );
    expect(ours?.map(ordered)).toEqual(go?.map(ordered));
  }, 60_000);

  // The Go program only shows r19, r20, r22, r23, r25, r29 and r30: no code of it reads them.
  it("machinery/1.7.r19, machinery/1.7.r20, machinery/1.7.r22, machinery/1.7.r23, machinery/1.7.r25, machinery/1.7.r29, machinery/1.7.r30 shows the Go program's /configz and /flagz with every flag changed", async () => {
    const changed = configFlags.filter(({ name }) => !untouched.has(name));
    const flags = changed.map((flag) => `--${flag.name}=${changedValue(flag)}`);
    const [ours, go, defaults] = await Promise.all([
      pagesOf(ourDaemon, flags, ["/configz", "/flagz"], flagzAccept),
      pagesOf(goDaemon(), flags, ["/configz", "/flagz"], flagzAccept),
      pagesOf(ourDaemon, [controllers], ["/configz"]),
    ]);
    expect(ours.map(ordered)).toEqual(go.map(ordered));
    expect(ours[0]).not.toEqual(defaults[0]);
    for (const flag of changed) expect(ours[1]).toContain(JSON.stringify(flag.name));
    expect(changed.length).toBeGreaterThan(80);
  }, 60_000);

  it("machinery/1.7.n1 accepts an explicit 0 as 0, as the Go program does", async () => {
    const positive = new Set(["concurrent-device-taint-eviction-syncs", "concurrent-resourceclaim-syncs"]);
    const isZero = ({ name, type }: BoundFlag): boolean =>
      ["int", "int32", "float", "float32", "duration"].includes(type.shownAs) &&
      !/(?:daemonset|statefulset|ephemeralvolume|autoscaler|job|endpoint)-syncs$|^(?:mirroring|max-endpoints|leader-elect|attach-detach)/.test(
        name,
      ) &&
      !positive.has(name);
    const zeroed = configFlags.filter(isZero);
    const flags = [controllers, "--leader-elect=false", ...zeroed.map(({ name }) => `--${name}=0`)];
    const [ours, go] = await Promise.all(
      [ourDaemon, goDaemon()].map((command) => pagesOf(command, flags, ["/configz"])),
    );
    expect(ours?.map(ordered)).toEqual(go?.map(ordered));
    expect(zeroed.length).toBeGreaterThan(40);
  }, 60_000);

  it("machinery/2.2 shows the Go program's /configz for the signers' files", async () => {
    const flags = [...untouched].filter((name) => name !== "kubeconfig").map((name) => `--${name}=/some/${name}`);
    const [ours, go] = await Promise.all(
      [ourDaemon, goDaemon()].map((command) => pagesOf(command, [controllers, ...flags], ["/configz"])),
    );
    expect(ours?.map(ordered)).toEqual(go?.map(ordered));
  }, 60_000);

  it("machinery/2.3.4 shows the Go program's /flagz, with every flag that has no field in /configz changed", async () => {
    const flags = [
      controllers,
      "--requestheader-allowed-names=a,b c",
      '--requestheader-group-headers="a,b",c',
      "--feature-gates=AllBeta=false,WatchListClient=true",
      "--feature-gates=AllAlpha=false",
      "--emulated-version=1.35",
      "--min-compatibility-version=kube=1.34",
      "--authentication-token-webhook-cache-ttl=1m",
      "--tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
      "--tls-curve-preferences=23,29",
      "--tls-min-version=VersionTLS13",
      "--http2-max-streams-per-connection=7",
      "--permit-port-sharing",
      "--permit-address-sharing",
      "--allow-metric-labels=a,b=c",
      "--disabled-metrics=x,y",
      "--show-hidden-metrics-for-version=1.35",
      "--vmodule=a=1,b*=2",
      "-v1",
      "--log-flush-frequency=1s",
      "--controller-shutdown-timeout=1m",
      "--authentication-skip-lookup",
      "--master=https://127.0.0.1:1",
    ];
    const [ours, go] = await Promise.all(
      [ourDaemon, goDaemon()].map((command) => pagesOf(command, flags, ["/flagz"], flagzAccept)),
    );
    expect(ours).toEqual(go);
  }, 60_000);

  it("machinery/1.1.7 logs every flag at verbosity 1", async () => {
    const args = ["-v=1", "--controllers=nonsense"];
    const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
    const lines = (text: string): string[] => text.match(/FLAG: .*$/gm) ?? [];
    expect(lines(go.stderr).length).toBeGreaterThan(140);
    expect(lines(ours.stderr)).toEqual(lines(go.stderr));
  });
});
