// The answer to a POST on a subresource that returns no object.

import type { Status } from "#api/meta.ts";

export const created: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
