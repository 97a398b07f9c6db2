import { describeConvergence } from "./convergence.contract.ts";
import { MemoryStorage } from "./storage/memory-storage.ts";

describeConvergence("memory storage", (clock) => new MemoryStorage({ clock }));
