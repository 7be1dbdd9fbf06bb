// `svc run`: the agent on this machine until a signal ends it.
import type { Writable } from 'node:stream';
import { hostProject, isAnywhere, type Hosted } from './host.ts';
import { answerQuestions, type Terminal } from './questions.ts';

export interface RunOptions {
  folder: string;
  entrypoint: string;
  host: string;
  port: number;
  /** Callers need a key. */
  keyed: boolean;
  /** Take changed files up. */
  reload: boolean;
  /** Folder that stands for the caller's workspace. */
  workspace?: string | undefined;
  /** Of the agent's process; default: this one's. */
  env?: NodeJS.ProcessEnv;
  /** Traces whole, with the frames of the SDK. */
  verbose?: boolean;
  /** One JSON document per line. */
  json: boolean;
}

export interface RunStreams {
  out: Writable;
  err: Writable;
  /** Where questions of skills are put. */
  terminal: Terminal;
}

/** The exit code: of a signal's orderly end 0, else the agent's. @throws ProjectError, UsageError */
export async function runProject(options: RunOptions, { out, err, terminal }: RunStreams): Promise<number> {
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const signal = (): void => end(0);
  process.on('SIGINT', signal).on('SIGTERM', signal);
  let hear: ReturnType<typeof answerQuestions> | undefined;
  try {
    const hosted = await hostProject({
      ...options,
      note: (text) => void out.write(options.json ? `${JSON.stringify({ event: 'note', text: text.trim() })}\n` : text),
      complain: (text) => void err.write(text),
      onProcess: (child, url) => (hear ??= answerQuestions(terminal, url))(child),
    });
    try {
      if (options.json) out.write(`${JSON.stringify(serving(hosted))}\n`);
      else greet(out, hosted, options);
      return await Promise.race([ended, hosted.over]);
    } finally {
      await hosted.close();
    }
  } finally {
    process.off('SIGINT', signal).off('SIGTERM', signal);
  }
}

function serving({ card, url }: Hosted): object {
  const { name, version, skills } = card();
  return { event: 'serving', name, version, url, skills: skills.map(({ id }) => id) };
}

function greet(out: Writable, { card, url }: Hosted, { host, keyed }: Pick<RunOptions, 'host' | 'keyed'>): void {
  const { name, version, skills } = card();
  const [first] = skills;
  out.write(`${name} ${version} serves ${url} (stop with Ctrl-C)\n`);
  out.write(`  ${whoReaches(host, keyed)}\n`);
  if (first) out.write(`  curl -X POST ${url}/invoke/${first.id} -H 'content-type: application/json' -d '{…}'\n`);
}

function whoReaches(host: string, keyed: boolean): string {
  const whom = isAnywhere(host)
    ? 'anyone who reaches this machine'
    : /^(?:127\.|localhost$|::1$)/.test(host)
      ? 'only programs on this machine'
      : `anyone who reaches ${host}`;
  if (keyed) return `${whom} may call it, with the key in SVC_API_KEY as bearer`;
  return isAnywhere(host) ? `${whom} may call it: set SVC_API_KEY, or use --host 127.0.0.1` : `${whom} may call it`;
}
