// The effects of the flags of delegated authentication and authorization, in both programs. The API server's audit log
// shows their reviews.

import { beforeAll, describe, expect, it } from "vitest";
import type { RunningManager } from "./control-plane.ts";
import { daemonOf, sides } from "./daemon.ts";
import { callHttps, type HttpsCall } from "./https.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;

type Headers = Readonly<Record<string, string | readonly string[]>>;

interface AccessReview {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly nonResourceAttributes?: { readonly path: string };
}

describeReal("flags of authentication and authorization", () => {
  const plane = useControlPlane();
  beforeAll(async () => {
    await plane().request("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "watchers" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:monitoring" },
      subjects: [{ kind: "ServiceAccount", namespace: "default", name: "watcher" }],
    });
  }, LIMIT_MS);

  describe.each(sides)("%s", (side) => {
    const start = (...flags: readonly string[]): Promise<RunningManager> =>
      plane().startManager(daemonOf(side), { controllers: ["-job-controller"], flags });
    const ask = async (
      { url }: RunningManager,
      path: string,
      headers: Headers,
      client?: HttpsCall["client"],
    ): Promise<number> => {
      const caPem = plane().pki.ca.certificatePem;
      const call = { url: url + path, caPem, headers, ...(client === undefined ? {} : { client }) };
      return (await callHttps(call)).status;
    };
    const reviewsSince = (mark: number, resource: string): object[] =>
      plane()
        .audit.since(mark)
        .filter(({ verb, objectRef }) => verb === "create" && objectRef?.resource === resource)
        .map(({ requestObject }) => (requestObject as { spec: object }).spec);

    it(
      "machinery/1.7.r51..r54 believes a front proxy's headers by the names it is told",
      async () => {
        const program = await start(
          "--requestheader-username-headers=x-nobody,X-Who",
          "--requestheader-uid-headers=X-Remote-Uid,X-Id",
          "--requestheader-group-headers=X-Team,X-Club",
          "--requestheader-extra-headers-prefix=X-More-,X-Other-",
        );
        const mark = plane().audit.mark();
        const headers = {
          "x-who": "anna",
          "x-id": "4711",
          "x-team": ["blue", "red"],
          "x-club": "chess",
          "x-more-colour": "green",
          "x-other-shape%2fsize": "round",
          "x-remote-user": "root",
          "x-remote-group": "system:masters",
          "x-remote-extra-a": "b",
        };
        expect(await ask(program, "/configz", headers, plane().pki.frontProxy)).toBe(403);
        const review = await eventually(() => reviewsSince(mark, "subjectaccessreviews").at(0) as AccessReview);
        expect(review).toEqual({
          user: "anna",
          uid: "4711",
          groups: ["blue", "red", "chess", "system:authenticated"],
          extra: { colour: ["green"], "shape/size": ["round"] },
          nonResourceAttributes: { path: "/configz", verb: "get" },
        } as AccessReview);
        await program.stop("SIGKILL");
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r55, machinery/1.7.r56 takes for a front proxy whom it is told to",
      async () => {
        const headers = { "x-remote-user": "root", "x-remote-group": "system:masters" };
        for (const [flags, wanted] of [
          [[], 200],
          [["--requestheader-allowed-names=somebody-else"], 401],
          [["--requestheader-allowed-names=somebody-else,front-proxy-client"], 200],
          [[`--requestheader-client-ca-file=${plane().pki.file("ca.crt")}`], 401],
        ] as const) {
          const program = await start(...flags);
          expect([flags, await ask(program, "/configz", headers, plane().pki.frontProxy)]).toEqual([flags, wanted]);
          await program.stop("SIGKILL");
        }
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r50 takes client certificates of --client-ca-file, and of no other CA",
      async () => {
        for (const [file, wanted] of [
          ["ca.crt", 200],
          ["front-proxy-ca.crt", 401],
        ] as const) {
          const program = await start(`--client-ca-file=${plane().pki.file(file)}`, "--requestheader-client-ca-file=");
          expect([file, await ask(program, "/configz", {}, plane().admin)]).toEqual([file, wanted]);
          await program.stop("SIGKILL");
        }
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r49, machinery/1.7.r60, machinery/1.7.r61 remembers answers as long as it is told",
      async () => {
        const token = await plane().tokenFor("default", "watcher");
        for (const [flags, wanted] of [
          [[], { tokens: 1, allowed: 1, refused: 1 }],
          [["--authentication-token-webhook-cache-ttl=0s"], { tokens: 6, allowed: 1, refused: 1 }],
          [["--authorization-webhook-cache-authorized-ttl=0s"], { tokens: 1, allowed: 3, refused: 1 }],
          [["--authorization-webhook-cache-unauthorized-ttl=0s"], { tokens: 1, allowed: 1, refused: 3 }],
        ] as const) {
          const program = await start(...flags);
          const mark = plane().audit.mark();
          for (let i = 0; i < 3; i++) {
            expect(await ask(program, "/metrics", { authorization: `Bearer ${token}` })).toBe(200);
            expect(await ask(program, "/configz", { authorization: `Bearer ${token}` })).toBe(403);
          }
          const counts = (): { tokens: number; allowed: number; refused: number } => {
            const asked = reviewsSince(mark, "subjectaccessreviews") as AccessReview[];
            const about = (path: string): number =>
              asked.filter(({ nonResourceAttributes }) => nonResourceAttributes?.path === path).length;
            const tokens = reviewsSince(mark, "tokenreviews").length;
            return { tokens, allowed: about("/metrics"), refused: about("/configz") };
          };
          const total = (): number => Object.values(counts()).reduce((sum, count) => sum + count, 0);
          // The log is written a moment after the answer.
          await eventually(() => (total() >= Object.values(wanted).reduce((a, b) => a + b, 0) ? true : undefined));
          expect([flags, counts()]).toEqual([flags, wanted]);
          await program.stop("SIGKILL");
        }
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r48, machinery/1.7.r59 asks those whom the kubeconfigs name, and nobody without them",
      async () => {
        const token = await plane().tokenFor("default", "watcher");
        const dead = plane().kubeconfigFor({ token: "t" }, "https://127.0.0.1:1");
        const skip = "--authentication-skip-lookup";
        for (const [flags, wanted] of [
          [[], 200],
          [["--authentication-kubeconfig="], 403],
          [[`--authentication-kubeconfig=${dead}`, skip], 401],
          [["--authorization-kubeconfig="], 403],
          [[`--authorization-kubeconfig=${dead}`], 500],
        ] as const) {
          const program = await start(...flags);
          const status = await ask(program, "/metrics", { authorization: `Bearer ${token}` });
          expect([flags, status]).toEqual([flags, wanted]);
          await program.stop("SIGKILL");
        }
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r62 opens the paths of --authorization-always-allow-paths, and those only",
      async () => {
        const program = await start("--authorization-always-allow-paths=/configz,/metrics/*");
        const codes = [];
        for (const path of ["/configz", "/metrics/slis", "/metrics", "/flagz"]) {
          codes.push(await ask(program, path, {}));
        }
        expect(codes).toEqual([200, 200, 403, 403]);
        await program.stop("SIGKILL");
      },
      LIMIT_MS,
    );
  });
});
