// The command line of kube-controller-manager, from the arguments to a verdict. This file prints and runs nothing: the
// composition root carries out the verdict.
// Upstream: cmd/kube-controller-manager/app/controllermanager.go, NewControllerManagerCommand;
// component-base/cli/run.go.

import { featureGateTable } from "#api/feature-gate-table.ts";
import { aggregateText } from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import { errorMessage } from "#base/errors.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { type Logger, noLog } from "#base/log.ts";
import { knownControllerNames, offByDefaultNames } from "#kit/known-controllers.ts";
import { runSubCommand } from "./completion/sub-command.ts";
import { type FlagSection, type ParsedFlags, parseFlags } from "./flags/flag-set.ts";
import { printSections } from "./flags/usage.ts";
import { buildOptions } from "./options/build-options.ts";
import { applyVersionsAndGates, type ComponentVersions } from "./options/component-versions.ts";
import { flagTable } from "./options/flag-table.ts";
import { validateLogs } from "./options/log-options.ts";
import type { Options } from "./options/options.ts";
import { KUBERNETES_VERSION } from "./options/version-flag.ts";

const NAME = "kube-controller-manager";

const description = `The Kubernetes controller manager runs the control loops of a cluster: each one watches
the state in the API server and moves the current state towards the desired state. This one is
written in TypeScript by the Steersman project and takes the flags, files and identities of the original.`;

export type Verdict =
  /** Help or version: print to standard output and exit 0. */
  | { readonly kind: "print"; readonly text: string }
  /** A flag that cannot be parsed: print usage and error to standard error and exit 1. */
  | { readonly kind: "refuse"; readonly text: string }
  /** An error before logging is set up: log it as text and exit 1. */
  | { readonly kind: "fail"; readonly error: string }
  | { readonly kind: "run"; readonly command: Command };

export interface Command {
  readonly options: Options;
  readonly gates: FeatureGates;
  readonly versions: ComponentVersions;
  readonly sections: readonly FlagSection[];
  readonly flags: ParsedFlags;
  /** The version to report. */
  readonly version: string;
}

/** columns: the width of the terminal for help, 0 without a terminal. log receives warnings about deprecated gates. */
export function readCommandLine(
  args: readonly string[],
  columns: number,
  log: Logger = noLog,
): Verdict & { readonly notices: readonly string[] } {
  const gates = new FeatureGates(featureGateTable(), "1.36");
  const sections = flagTable({
    knownControllers: knownControllerNames,
    disabledByDefault: offByDefaultNames,
    featureGateLines: gates.helpLines(),
  });
  const allFlags = sections.flatMap((section) => section.flags);
  const outcome = runSubCommand(args, allFlags, (line) => usage(sections, columns, line));
  if (outcome !== undefined) return outcome;
  let flags: ParsedFlags;
  try {
    flags = parseFlags(sections, args);
  } catch (error) {
    const text = `${usage(sections, columns)}\nError: ${errorMessage(error)}\n`;
    return { kind: "refuse", text, notices: [] }; // notices are only printed when there is no error
  }
  return { ...judge(sections, flags, gates, columns, log), notices: flags.notices };
}

function judge(
  sections: ReturnType<typeof flagTable>,
  flags: ParsedFlags,
  gates: FeatureGates,
  columns: number,
  log: Logger,
): Verdict {
  if (flags.isHelpWanted) return { kind: "print", text: `${description}\n\n${usage(sections, columns)}` };
  if (flags.positional.some((argument) => argument !== "")) {
    const got = flags.positional.map(goQuote).join(" ");
    return { kind: "refuse", text: `Error: ${goQuote(NAME)} does not take any arguments, got [${got}]\n` };
  }
  const options = buildOptions(sections, flags);
  const versions = applyVersionsAndGates(options, gates, log);
  if ("problem" in versions) return { kind: "fail", error: versions.problem };
  const version = options.version.startsWith("v") ? options.version : KUBERNETES_VERSION;
  if (options.version === "true") return { kind: "print", text: `Kubernetes ${version}\n` };
  if (options.version === "raw") return { kind: "print", text: `${rawVersion(version)}\n` };
  const logProblems = validateLogs(options.logs, gates);
  if (logProblems.length > 0) return { kind: "fail", error: aggregateText(logProblems) };
  return { kind: "run", command: { options, gates, versions, sections, flags, version } };
}

function usage(sections: readonly FlagSection[], columns: number, line = `${NAME} [flags]`): string {
  return `Usage:\n  ${line}\n${printSections(sections, columns)}`;
}

function rawVersion(gitVersion: string): string {
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  const fields = {
    Major: major,
    Minor: minor,
    EmulationMajor: "",
    EmulationMinor: "",
    MinCompatibilityMajor: "",
    MinCompatibilityMinor: "",
    GitVersion: gitVersion,
    GitCommit: "",
    GitTreeState: "",
    BuildDate: "1970-01-01T00:00:00Z",
    GoVersion: "",
    Compiler: "",
    Platform: "",
  };
  return `version.Info{${Object.entries(fields)
    .map(([name, value]) => `${name}:${goQuote(value)}`)
    .join(", ")}}`;
}
