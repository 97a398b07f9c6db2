// The answer to a subresource that was posted to and has nothing to show.

import type { Status } from "#api/meta.ts";

export const created: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
