// The only direct access of tests to etcd: compaction, through etcd's JSON gateway.

export async function compact(etcdUrl: string): Promise<void> {
  const { header } = (await call(etcdUrl, "kv/range", { key: "AA==" })) as { header: { revision: string } };
  await call(etcdUrl, "kv/compaction", { revision: header.revision, physical: true });
}

async function call(etcdUrl: string, method: string, body: object): Promise<unknown> {
  const response = await fetch(`${etcdUrl}/v3/${method}`, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`etcd ${method}: ${response.status} ${await response.text()}`);
  return await response.json();
}
