import { httpClientContract } from "./http-client.contract.ts";
import { createSocketHttpClient } from "./http-client-sockets.ts";

httpClientContract("node:https", createSocketHttpClient, { hasProxy: false });
