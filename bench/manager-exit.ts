// Loaded into our manager before its own code when it is profiled: the runtime writes profiles at an exit, and without
// this the manager dies of SIGTERM, as the Go manager does.

process.on("SIGTERM", () => process.exit(0));
