// `svc dev` in a box, from the first question to Ctrl-C.
import { posix, relative, resolve } from 'node:path';
import type { Api } from '../lib/api.ts';
import { ApiError } from '#contract/client.ts';
import { UsageError } from '../lib/errors.ts';
import { sayIgnored } from '../deploy/deploy.ts';
import { listSource } from '../deploy/pack.ts';
import { refuseSecrets } from '../deploy/secrets.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { forTerminal, type Output, plain } from '../lib/output.ts';
import { writeAlias, type Where } from '../ssh/files.ts';
import { askForBox, type Opened } from '../ssh/tunnel.ts';
import { startRemote } from './remote.ts';
import { DevSession, type Events } from './session.ts';

export interface Develop {
  client: Api;
  where: Where;
  folder: string;
  host: string;
  port: number;
  reload: boolean;
  /** Copy what looks like a key, too. */
  allowSecrets: boolean;
  workspace: string | undefined;
  env: NodeJS.Dict<string>;
  output: Output;
}

export async function developInBox({ client, where, folder, host, port, reload, allowSecrets, workspace, env, output }: Develop): Promise<number> {
  const source = await listSource(folder);
  if (!allowSecrets) await refuseSecrets(folder, source.files);
  sayIgnored(source.ignored, output);
  const inProject = workspace === undefined ? undefined : insideOf(folder, workspace);
  const { box, files } = await open(client, where, output);
  await writeAlias(files, where, box.user);
  if (box.state === 'stopped') output.note('The dev box starts …');
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.on('SIGINT', end).on('SIGTERM', end);
  const say = createEvents(output);
  let session: DevSession | undefined;
  const remote = await startRemote(
    { files, box, note: (text) => output.note(plain(text)) },
    {
      log: (text) => (output.json ? output.line(JSON.stringify({ event: 'log', text })) : output.raw(forTerminal(text))),
      changed: () => session?.boxChanged(),
    },
  );
  try {
    session = new DevSession(folder, remote, say, { reload, allowSecrets });
    const settings = {
      agent: where.agent,
      folder: box.folder,
      host,
      port,
      reload,
      env: Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined)),
      url: box.web_url ?? `http://${host}:${port}`,
      ...(inProject === undefined ? {} : { workspace: posix.join(box.folder, inProject) }),
    };
    await session.begin(settings);
    say.ready(box, where.agent);
    if (!stop.signal.aborted) await session.follow(stop.signal);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await remote.close();
  }
  if (stop.signal.aborted) {
    output.hint(`The dev box of ${where.agent} goes to sleep; its files stay. Continue with: svc dev`);
    return EXIT.ok;
  }
  output.hint('The connection to the dev box ended. Continue with: svc dev');
  return EXIT.unreachable;
}

/** An agent that was never deployed gets its name first. */
async function open(client: Api, where: Where, output: Output): ReturnType<typeof askForBox> {
  try {
    return await askForBox(client, where, { renew: true });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'agent_not_found') throw error;
    await client.agents.register({ body: { name: where.agent } });
    output.note(`Registered ${where.agent}, unlisted.`);
    return await askForBox(client, where, { renew: true });
  }
}

function createEvents(output: Output): Events & { ready(box: Opened, agent: string): void } {
  const emit = (event: Record<string, unknown>, text: string): void => (output.json ? output.line(JSON.stringify(event)) : output.hint(text));
  return {
    ready: ({ web_url, folder }, agent) =>
      emit(
        { event: 'ready', web_url, folder },
        `${agent} is served at ${web_url ?? 'a port of the box'} (for you only; stop with Ctrl-C). Shell: svc ssh ${agent}`,
      ),
    synced({ pushed, pulled, removed, conflicts, ms }) {
      const parts = [pushed > 0 && `${pushed} to the box`, pulled > 0 && `${pulled} from the box`, removed > 0 && `${removed} removed`].filter(
        (part) => part !== false,
      );
      emit({ event: 'synced', pushed, pulled, removed, conflicts, ms }, `synced ${parts.join(', ') || 'files'} in ${ms} ms`);
      for (const { path, kept, saved } of output.json ? [] : conflicts)
        output.note(
          output.bad(
            `${plain(path)} was changed on both sides: the one ${kept === 'here' ? 'from here' : 'from the box'} is newer and stays; the other is ${plain(saved)}`,
          ),
        );
    },
    served: ({ well, ms, paths }) =>
      emit({ event: 'served', well, ms, paths }, well ? output.good(`serving after ${ms} ms`) : output.bad('not loaded; the previous version keeps serving')),
    problem: (message) => emit({ event: 'problem', message }, output.bad(plain(message))),
  };
}

/** @throws UsageError */
function insideOf(folder: string, workspace: string): string {
  const way = relative(folder, resolve(workspace));
  if (way === '' || way.startsWith('..'))
    throw new UsageError('--workspace must be a folder inside the project: nothing else is copied into the dev box. Or run on this machine: svc dev --local');
  return way;
}
