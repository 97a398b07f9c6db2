// The files that flags name: leader migration, metric allow-lists, the root CA and the token key.

import { errorMessage } from "#base/errors.ts";
import type { ClientConfig } from "#client/kubeconfig.ts";
import type { ComponentConfig, LeaderMigrationConfig } from "#manager/options/config.ts";
import { defaultLeaderMigration, readLeaderMigration } from "#manager/options/leader-migration.ts";
import type { Manifest } from "#manager/options/metrics-options.ts";
import type { Options } from "#manager/options/options.ts";
import type { ControllerSettings } from "#manager/registry.ts";
import { certificatesProblem, readFileAsGo } from "#platform/https-server/serving-files.ts";
import { jwtSigner, readPrivateKey } from "#platform/tokens/jwt-signer.ts";

/** Undefined when leader migration is off. */
export async function readMigration(options: Options): Promise<LeaderMigrationConfig | undefined> {
  if (!options.config.Generic.LeaderMigrationEnabled) return undefined;
  const file = options.leaderMigrationConfigFile;
  if (file === "") return defaultLeaderMigration;
  let text: string;
  try {
    text = readFileAsGo(file);
  } catch (cause) {
    throw new Error(`unable to read leader migration configuration from "${file}": ${errorMessage(cause)}`, { cause });
  }
  const { parse } = await import("yaml");
  return readLeaderMigration(parse(text), text);
}

/** Undefined without --allow-metric-labels-manifest. */
export async function readManifest({ metrics }: Options): Promise<Manifest | undefined> {
  const file = metrics.allowLabelsManifest;
  if (file === "") return undefined;
  let text: string;
  try {
    text = readFileAsGo(file);
  } catch (error) {
    return { problem: `failed to read allow list manifest: ${errorMessage(error)}` };
  }
  try {
    const { parse } = await import("yaml");
    const lists: unknown = parse(text) ?? {};
    if (typeof lists !== "object") return { problem: "failed to parse allow list manifest: it is not a map" };
    return { lists: lists as Record<string, string> };
  } catch (error) {
    return { problem: `failed to parse allow list manifest: ${errorMessage(error)}` };
  }
}

/** What controllers are built with. Files are read when a controller asks for them, as upstream's constructors do. */
export function lazySettings(config: ComponentConfig, client: ClientConfig): ControllerSettings {
  const { ServiceAccountKeyFile: keyFile, RootCAFile: rootCaFile } = config.SAController;
  const root = {
    config,
    get rootCa(): string {
      // A CA that the client configuration names by its file is not read, as upstream does not read it.
      return rootCaFile === "" ? (client.certificateAuthorityData ?? "") : readRootCa(rootCaFile);
    },
  };
  if (keyFile === "") return root;
  return Object.defineProperty(root, "signToken", { enumerable: true, get: () => tokenSigner(keyFile) });
}

function tokenSigner(keyFile: string): NonNullable<ControllerSettings["signToken"]> {
  const key = explained("error reading key for service account token controller", () =>
    readPrivateKey(readFileAsGo(keyFile)),
  );
  return explained("failed to build token generator", () => jwtSigner(key));
}

function readRootCa(file: string): string {
  return explained(`error parsing root-ca-file at ${file}`, () => {
    const pem = readFileAsGo(file);
    const problem = certificatesProblem(pem);
    if (problem !== undefined) throw new Error(problem);
    return pem;
  });
}

function explained<T>(what: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new Error(`${what}: ${errorMessage(cause)}`, { cause });
  }
}
