import { playScenarios } from "#test/stage/suite.ts";
import { scenarios } from "./scenarios.ts";

playScenarios(scenarios);
