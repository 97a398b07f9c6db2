// The ControllerContext on a real API server; the audit log must show the same requests.

import { expect, it } from "vitest";
import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { playControllerContext } from "#test/scenarios/controller-context.ts";
import type { ControlPlane } from "./control-plane.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const WATCHED = "allowWatchBookmarks&resourceVersionMatch&sendInitialEvents&timeout&timeoutSeconds&watch";
const OURS = "test-admin";
const THEIRS = "system:kube-controller-manager";
const WIDGETS = "/apis/context.example/v1/widgets";

describeReal("the controllers' context on a real API server", () => {
  const plane = useControlPlane({
    auditRules: [{ level: "Metadata", nonResourceURLs: ["/healthz"], users: [OURS, THEIRS] }],
  });

  it(
    "machinery/1.2.7, machinery/1.2.8, machinery/1.3.8 gives controllers their informers, mappings and clients, and takes them back",
    async () => {
      const { certificatePem: cert, keyPem: key } = plane().admin;
      const transport = await createHttpClient({
        baseUrl: plane().server,
        ca: plane().pki.ca.certificatePem,
        cert,
        key,
      });
      await playControllerContext({
        clock: systemClock,
        transport,
        admin: createClient({ transport, clock: systemClock, userAgent: "scenario" }),
        do: (call) => call(),
        until: (probe) => eventually(probe),
      });
      transport.close();
      const ours = asked(plane(), OURS);
      expect(ours).toEqual([
        "controller-discovery get /api timeout",
        "controller-discovery get /apis timeout",
        `metadata-informers watch /api/v1/configmaps ${WATCHED}`,
        `metadata-informers watch ${WIDGETS} ${WATCHED}`,
        "probe get /api timeout",
        "probe get /apis timeout",
        "shared-informers get /healthz ",
        `shared-informers watch /api/v1/configmaps ${WATCHED}`,
      ]);

      // The garbage collector of the Go program has the same context and makes the same requests with it.
      const go = await plane().startGoManager({ controllers: ["garbage-collector-controller"] });
      await eventually(() => (asked(plane(), THEIRS).some((request) => request.includes(WIDGETS)) ? true : undefined));
      await go.stop("SIGKILL");
      const theirs = asked(plane(), THEIRS);
      const shared = ours.filter((request) => /discovery|widgets|healthz/.test(request));
      // Deviation: discovery sends a timeout of 32 seconds; the Go program loses its limit.
      expect(theirs).toEqual(expect.arrayContaining(shared.map((request) => request.replace(/ timeout$/, " "))));
    },
    LIMIT_MS,
  );
});

/** The requests of a user's managers, each kind once. */
function asked(plane: ControlPlane, username: string): readonly string[] {
  const events = plane.audit
    .since()
    .filter(({ user, userAgent }) => user.username === username && userAgent?.startsWith("kube-controller-manager/"));
  const seen = events.map(({ userAgent, verb, requestURI }) => {
    const [path = "", query = ""] = requestURI.split("?");
    const parameters = [...new URLSearchParams(query).keys()].sort().join("&");
    return `${userAgent?.split("/").at(-1)} ${verb} ${path} ${parameters}`;
  });
  return [...new Set(seen)].sort();
}
