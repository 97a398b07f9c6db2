// The log lines that operators look for, from the start over leadership to an orderly stop: the same as the Go
// program's with the same flags on the same control plane. Lines of single controllers are not compared.

import { expect, it } from "vitest";
import type { RunningManager } from "./control-plane.ts";
import { daemonOf, type Side, sharedControllers, sides } from "./daemon.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;

/** GA, deprecated and alpha gates: each is logged. */
const gates = [
  "ControllerManagerReleaseLeaderElectionLockOnExit=true",
  "InformerResourceVersion=true",
  "WindowsHostNetwork=false",
];

const sought: readonly RegExp[] = [
  /^I "Warning: setting GA feature gate. It will be removed in a future release." featureGate="InformerResourceVersion" value=true$/m,
  /^I "Warning: setting deprecated feature gate. It will be removed in a future release." featureGate="WindowsHostNetwork" value=false$/m,
  /^W component has alpha features enabled in emulated version, this is unsupported: features=\[ControllerManagerReleaseLeaderElectionLockOnExit\]$/m,
  /^I FLAG: --v="4"$/m,
  /^I "Loaded a new cert\/key pair" name="serving-cert::.*serving.crt::.*serving.key"$/m,
  /^I "Loaded a new CA Bundle and Verifier" name="client-ca-bundle::.*ca.crt"$/m,
  /^I "Loaded a new CA Bundle and Verifier" name="request-header::.*front-proxy-ca.crt"$/m,
  /^I "Starting" version="v1.36.4"$/m,
  /^I "Loaded client CA" index=0 certName="client-ca-bundle::.*ca.crt,request-header::.*front-proxy-ca.crt" certDetail="\\"test-ca\\" \[\] issuer=\\"<self>\\" \(20\d\d-\S+ \S+ \+0000 UTC to .*\)"$/m,
  /^I "Loaded client CA" index=1 certName=".*" certDetail="\\"test-front-proxy-ca\\" .*"$/m,
  /^I "Loaded serving cert" certName="serving-cert::.*" certDetail="\\"test-control-plane\\" \[serving\] validServingFor=\[127.0.0.1,10.0.0.1,localhost,.*\] issuer=\\"test-ca\\" \(.*\)"$/m,
  /^I Serving securely on 127.0.0.1:\d+$/m,
  /^I "HTTP" verb="GET" URI="\/healthz" latency="[\d.]+(?:µs|ms|s)" userAgent="" audit-ID="" srcIP="127.0.0.1:\d+" resp=200$/m,
  /^I "Attempting to acquire leader lease..." lock="kube-system\/\S+"$/m,
  /^I "Successfully acquired lease" lock="kube-system\/\S+"$/m,
  /^I "Event occurred" object="kube-system\/\S+" fieldPath="" kind="Lease" apiVersion="coordination.k8s.io\/v1" type="Normal" reason="LeaderElection" message="\S+ became leader"$/m,
  /^I "Warning: controller is disabled" controller="job-controller"$/m,
  /^I "Controller starting..." controller="replicaset-controller"$/m,
  /^I "Starting reflector" type=.*$/m,
  /^I "Listing and watching" type=.*$/m,
  /^I "Caches populated" type=.*$/m,
  /^I "Waiting for caches to sync".*$/m,
  /^I "Caches are synced".*$/m,
];

const soughtAtTheEnd: readonly RegExp[] = [
  /^I "Controller terminated" controller="replicaset-controller"$/m,
  /^I "All controllers terminated"$/m,
];

describeReal("the log of the daemon", () => {
  const plane = useControlPlane();

  const start = (side: Side, flags: readonly string[]): Promise<RunningManager> =>
    plane().startManager(daemonOf(side), {
      controllers: sharedControllers,
      flags: ["-v=4", "--leader-elect=true", `--leader-elect-resource-name=log-${side}`, ...flags],
    });
  /** Without time, process and place. */
  const plain = (program: RunningManager): string =>
    program.log().replaceAll(/^([IWEF])\d{4} [\d:.]+ +\d+ [^\]]+\] /gm, "$1 ");

  it.each(sides)(
    "tells operators what they look for: %s",
    async (side) => {
      const program = await start(side, [`--feature-gates=${gates.join(",")}`]);
      await eventually(() => (plain(program).split('"Caches are synced"').length > 4 ? true : undefined));
      const log = plain(program);
      expect(sought.filter((line) => !line.test(log)).map(String)).toEqual([]);
      await program.stop("SIGKILL");
    },
    LIMIT_MS,
  );

  it.each(sides)(
    "tells how its controllers ended: %s",
    async (side) => {
      const program = await start(side, [`--feature-gates=${gates.join(",")}`, "--leader-elect=false"]);
      await eventually(() => (plain(program).split('"Caches are synced"').length > 4 ? true : undefined));
      expect(await program.stop("SIGTERM")).toBe("exit code 0");
      const log = plain(program);
      expect(soughtAtTheEnd.filter((line) => !line.test(log)).map(String)).toEqual([]);
    },
    LIMIT_MS,
  );

  it.each(sides)(
    "a standby tells whom it waits for: %s",
    async (side) => {
      const leader = await start(side, ["--leader-elect-resource-name=log-standby"]);
      await eventually(() => (plain(leader).includes("Successfully acquired lease") ? true : undefined));
      const [holder = ""] = /message="(\S+) became leader"/.exec(plain(leader))?.slice(1) ?? [];
      const standby = await start(side, ["--leader-elect-resource-name=log-standby"]);
      const lock = 'lock="kube-system/log-standby"';
      const held = `I "Lease is held by and has not yet expired" ${lock} holder="${holder}"\nI "Failed to acquire lease" ${lock}\n`;
      await eventually(() => (plain(standby).includes(held) ? true : undefined));
      await standby.stop("SIGKILL");
      await leader.stop("SIGKILL");
      await plane().request("DELETE", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/log-standby");
    },
    LIMIT_MS,
  );
});
