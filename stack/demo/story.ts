// What agents can do beside computing, as a short story: files, a question, a right to write, a delegated
// part of a grant, untrusted code.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { z } from 'zod';
import { ArtifactRef, ProgressPayload } from '#contract/wire/events.ts';
import { CODE, FILES } from './files.ts';
import type { Person, Watched } from './person.ts';

export interface Telling {
  say(what: string): void;
  print(line: string): void;
  /** Resolves when this agent's deploy is done, throws when it failed. */
  live(agent: string): Promise<void>;
  baseUrl: string;
  /** Where artifacts are put. */
  folder: string;
}

const Catalogued = z.object({ written: z.array(z.string()) });
const Investigation = z.object({ helped_by: z.array(z.string()), computed: z.string(), artifacts: z.array(ArtifactRef) });

/** Resolves with the agents and receipts of every hop. */
export async function story(person: Person, tell: Telling): Promise<{ agent: string; receiptId: string }[]> {
  const { say, print } = tell;
  const command = (text: string) => print(styleText('dim', `  $ ${text}`));
  const curl = (path: string, more = '') => command(`curl -H "authorization: Bearer $TOKEN" ${tell.baseUrl}${path}${more}`);
  const progress = ({ kind, payload }: { kind: string; payload: unknown }) => {
    if (kind === 'progress') print(`  … ${ProgressPayload.parse(payload).message}`);
  };

  say('Your files: a workspace of your own, which no agent sees until you let it');
  await Promise.all(Object.entries(FILES).map(([path, content]) => person.put(path, content)));
  for (const path of Object.keys(FILES)) print(`  ${path}`);
  curl('/v1/me/files');

  await tell.live('chart-room');
  say('chart-room plots one of them, reports progress and writes a picture');
  const drawn = await person.watch('chart-room', 'draw', { file: 'data/ferries.csv', title: 'Ferries' }, { onEvent: progress });
  for (const path of await fetched(artifactsOf(drawn), tell.folder)) print(`  ⬇ ${path}`);
  command('svc call chart-room draw file=data/ferries.csv title=Ferries');

  await tell.live('librarian');
  say('librarian asks you a question, then for the right to write below one folder; you answer both');
  const catalogued = await person.watch(
    'librarian',
    'catalogue',
    { subject: 'ferries harbour' },
    {
      onEvent: progress,
      onQuestion: (prompt) => (print(`  ? ${prompt}`), print(styleText('cyan', '  > all')), 'all'),
      onScope: (wish) => (
        print(`  ? may it write below ${wish.write_prefix}: ${wish.reason}`),
        print(styleText('cyan', '  > approve')),
        { decision: 'approve' }
      ),
    },
  );
  const [written = ''] = Catalogued.parse(catalogued.result).written;
  const content = await (await person.client.files.get({ params: { path: written } })).text();
  for (const line of content.split('\n').slice(0, 5)) print(styleText('dim', `  │ ${line}`));
  curl(`/v1/me/files/${written}`);

  await tell.live('analyst');
  say('analyst finds both, delegates to each a part of its grant, and executes untrusted code in a sandbox');
  const question = 'Why were the ferries late in January?';
  const investigated = await person.watch('analyst', 'investigate', { question, data: 'data/ferries.csv', code: CODE }, { onEvent: progress });
  const investigation = Investigation.parse(investigated.result);
  for (const line of investigation.computed.trim().split('\n')) print(styleText('dim', `  sandbox │ ${line}`));
  for (const path of await fetched(investigation.artifacts, tell.folder)) print(`  ⬇ ${path}`);
  command(`svc call analyst investigate question="${question}" data=data/ferries.csv`);

  say('What was given to whom, and that it ended with the run');
  const { items } = await person.client.grants.list({ query: { limit: 20 } });
  const root = items.find(({ audience, kind, parent_grant_id }) => audience === 'analyst' && kind !== 'delegate' && parent_grant_id === null);
  if (!root) throw new Error('the call of analyst left no grant: GET /v1/me/grants should show it');
  const tree = await person.client.grants.get({ params: { grant_id: root.grant_id } });
  print(`  ${tree.audience}: ${tree.allow_patterns.join(', ')} (${tree.mode}, ${tree.state})`);
  for (const row of tree.extensions) print(`  ${'  '.repeat(row.level)}└ ${row.audience}: ${row.allow_patterns.join(', ')} (${row.mode}, ${row.state})`);
  curl(`/v1/me/grants/${root.grant_id}`);

  const handed = await Promise.all(investigation.helped_by.map((agent) => newestReceipt(person, agent)));
  return [
    { agent: 'chart-room', receiptId: drawn.receiptId },
    { agent: 'librarian', receiptId: catalogued.receiptId },
    { agent: 'analyst', receiptId: investigated.receiptId },
    ...handed,
  ];
}

function artifactsOf({ events }: Watched): ArtifactRef[] {
  return events.flatMap(({ kind, payload }) => (kind === 'artifact' ? [ArtifactRef.parse(payload)] : []));
}

/** By their signed links, which need no token. */
async function fetched(artifacts: readonly ArtifactRef[], folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  return Promise.all(
    artifacts.map(async ({ name, uri }) => {
      const response = await fetch(uri);
      if (!response.ok) throw new Error(`the artifact ${name} was not given out: ${response.status}`);
      const path = join(folder, name);
      await writeFile(path, Buffer.from(await response.arrayBuffer()));
      return path;
    }),
  );
}

async function newestReceipt({ client }: Person, agent: string): Promise<{ agent: string; receiptId: string }> {
  const [newest] = (await client.agentReceipts.list({ params: { name: agent }, query: { limit: 1 } })).items;
  return { agent, receiptId: newest?.receipt_id ?? '' };
}
