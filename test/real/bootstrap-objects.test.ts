// The initial objects of a cluster: those of the embedded server equal those of a real one.

import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { expect, it } from "vitest";
import type { KubeObject } from "#api/object.ts";
import { embeddedSubject, realSubject, type Subject } from "#test/judge/exchange.ts";
import { plainSettings } from "#test/judge/judge-flags.ts";
import type { ControlPlane } from "./control-plane.ts";
import { frontProxyUser } from "./pki.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const LISTS: Readonly<Record<string, string>> = {
  "machinery/7.5.r1 namespaces": "/api/v1/namespaces",
  "machinery/7.5.r2 cluster roles": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  "machinery/7.5.r2 cluster role bindings": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  "machinery/7.5.r2 roles": "/apis/rbac.authorization.k8s.io/v1/roles",
  "machinery/7.5.r2 role bindings": "/apis/rbac.authorization.k8s.io/v1/rolebindings",
  "machinery/7.5.r4 priority classes": "/apis/scheduling.k8s.io/v1/priorityclasses",
  "machinery/7.5.r5 services": "/api/v1/services",
  "machinery/7.5.r5 endpoints": "/api/v1/endpoints",
  "machinery/7.5.r5 endpoint slices": "/apis/discovery.k8s.io/v1/endpointslices",
  "machinery/7.5.r6 config maps": "/api/v1/configmaps",
  "machinery/7.5.r7 leases": "/apis/coordination.k8s.io/v1/leases",
  "machinery/7.5.r7 flow schemas": "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
  "machinery/7.5.r7 priority levels": "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
  "machinery/7.5.r7 service ranges": "/apis/networking.k8s.io/v1/servicecidrs",
  "machinery/7.5.r7 IP addresses": "/apis/networking.k8s.io/v1/ipaddresses",
};

/** An embedded server with the address, the CAs and the front proxy of the real one. */
function embeddedLike({ server, pki }: ControlPlane): Subject {
  const pem = (file: Parameters<typeof pki.file>[0]): string => readFileSync(pki.file(file), "utf8");
  return embeddedSubject(plainSettings, {
    serverAddress: `192.0.2.1:${new URL(server).port}`,
    hostname: hostname(),
    authentication: {
      allowsAnonymous: true,
      clientCa: pem("ca.crt"),
      requestHeader: {
        ca: pem("front-proxy-ca.crt"),
        allowedNames: [frontProxyUser],
        usernameHeaders: ["X-Remote-User"],
        uidHeaders: [],
        groupHeaders: ["X-Remote-Group"],
        extraHeaderPrefixes: ["X-Remote-Extra-"],
      },
    },
  });
}

const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

async function objectsOf(subject: Subject, target: string): Promise<unknown[]> {
  const { status, body } = await subject.ask({ method: "GET", target });
  expect(status).toBe(200);
  const { items } = JSON.parse(JSON.stringify(body).replace(TIMES, "<time>").replace(UUIDS, "<uid>")) as {
    items: KubeObject[];
  };
  return items.map(({ metadata, ...object }) => {
    const { resourceVersion: _, managedFields = [], ...rest } = metadata ?? {};
    const owners = managedFields.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return { ...object, metadata: { ...rest, managedFields: owners } };
  });
}

describeReal("the initial objects of a cluster", () => {
  const plane = useControlPlane();

  it.each(Object.entries(LISTS))(
    "%s are the same on both servers",
    async (_, target) => {
      const [real, embedded] = [await realSubject(plane()), embeddedLike(plane())];
      try {
        // The hooks of the real server that create them may run after it is ready.
        await eventually(async () => ((await objectsOf(real, "/api/v1/endpoints")).length > 0 ? true : undefined));
        expect(await objectsOf(embedded, target)).toEqual(await objectsOf(real, target));
      } finally {
        real.close();
        embedded.close();
      }
    },
    60_000,
  );
});
