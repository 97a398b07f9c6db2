import { httpClientContract } from "./http-client.contract.ts";
import { createBunHttpClient } from "./http-client-bun.ts";

httpClientContract("fetch on Bun", createBunHttpClient);
