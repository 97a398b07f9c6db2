// Preloaded into our manager for profiling: the runtime writes profiles at an exit, and without this handler the
// manager dies of SIGTERM, as the Go manager does.

process.on("SIGTERM", () => process.exit(0));
