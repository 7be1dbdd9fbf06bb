// Keeps the history of a workflow as a file for replay tests, when asked to by RECORD_HISTORIES=1.
import { writeFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

/** `name` is `<workflow type>.<what happened>`. The run must have closed; names and paths of this machine are taken out. */
export async function recordHistory(client: Client, workflowId: string, name: string): Promise<void> {
  if (process.env.RECORD_HISTORIES !== '1') return;
  const handle = client.workflow.getHandle(workflowId);
  await handle.result().catch(() => undefined);
  const json = anonymous(historyToJSON(await handle.fetchHistory()));
  await writeFile(new URL(`../../workflows/histories/${name}.json`, import.meta.url), `${json}\n`);
}

function anonymous(json: string): string {
  return json
    .replace(/"identity": "[^"]*"/g, '"identity": "recorded"')
    .replace(/"stackTrace": "(?:[^"\\]|\\.)*"/g, '"stackTrace": ""')
    .replace(/"name": "\d+@[^"]*"/g, '"name": "sticky"');
}
