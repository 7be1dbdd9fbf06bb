// The half of `svc dev` that runs in the box, started over SSH and ended with it: it takes changes in, serves
// the project, and says what happens.
import { createServer, connect } from 'node:net';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hostProject, type Hosted } from '../../project/host.ts';
import { dropSpares, keepSpare } from '../../project/load.ts';
import { ProjectError } from '../../project/problem.ts';
import { readProject } from '../../project/read.ts';
import { watchProject } from '../../project/watch.ts';
import { Applier, isSafePath } from '../apply.ts';
import { Ask, readFrames, type Settings, type BoxMessage, writeFrame } from '../frames.ts';
import { markOf, Scanner, type Tree } from '../tree.ts';
import { installDependencies } from './install.ts';

/** Where the host of the box reaches what is served. */
const WEB_SOCKET = '/run/svc/web.sock';

/** A box may be emulated, on a machine with much else to do. */
const LOAD_MS = 180_000;

/** What goes out is one stream: frames must not mix. */
let last: Promise<void> = Promise.resolve();
function tell(head: BoxMessage, body?: Uint8Array): Promise<void> {
  last = last.then(() => writeFrame(process.stdout, head, body)).catch(() => process.exit(0));
  return last;
}
const log = (text: string): void => void tell({ is: 'log', text });

class Project {
  readonly #settings: Settings;
  readonly #scanner: Scanner;
  readonly #applier: Applier;
  readonly #env: NodeJS.ProcessEnv;
  #hosted: Hosted | undefined;
  #serving: Promise<unknown> = Promise.resolve();
  /** Packages were installed since the code was loaded: a process keeps its loaded ones. */
  #anew = false;
  /** What the tool knows to be here: the mark of each path. */
  #known = new Map<string, string>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#scanner = new Scanner(settings.folder);
    this.#applier = new Applier(settings.folder);
    // Only the owner reaches it, so it requires no key.
    const { SVC_API_KEY: _none, NODE_COMPILE_CACHE: _own, ...env } = { ...process.env, ...settings.env };
    this.#env = env;
  }

  async begin(): Promise<BoxMessage> {
    const { folder } = this.#settings;
    await mkdir(join(folder, '.svc'), { recursive: true });
    await this.#applier.recover();
    // It loads the SDK while files come.
    keepSpare(folder, this.#env);
    const idFile = join(folder, '.svc', 'tree-id');
    const tree_id = (await readFile(idFile, 'utf8').catch(() => '')) || randomUUID();
    await writeFile(idFile, tree_id);
    watchProject(folder, () => void this.#notice());
    await serveWeb(this.#settings);
    return { is: 'ready', tree_id, now: Date.now(), pristine: await isCommitted(folder) };
  }

  async scan(): Promise<BoxMessage> {
    const tree = await this.#scanner.scan();
    this.#known = marksOf(tree);
    return { is: 'tree', files: [...tree], now: Date.now() };
  }

  /**
   * Of what the tool wrote itself it need not hear. Code is taken up before it is looked: a save is to be
   * visible soon.
   */
  async #notice(): Promise<void> {
    await this.#serving;
    const marks = await this.#scanner.scan().then(marksOf, () => undefined);
    if (marks?.size !== this.#known.size || [...marks].some(([path, mark]) => this.#known.get(path) !== mark)) await tell({ is: 'changed' });
  }

  async stage(sha256: string, body: Uint8Array): Promise<BoxMessage> {
    await this.#applier.stage(sha256, body);
    return { is: 'staged' };
  }

  async apply({ writes, removes, expected }: Extract<Ask, { do: 'apply' }>): Promise<BoxMessage> {
    const changed = await this.#applier.apply(writes, removes, expected);
    for (const file of writes) this.#known.set(file.path, markOf(file));
    for (const path of removes) this.#known.delete(path);
    return { is: 'applied', changed };
  }

  async read(path: string): Promise<[BoxMessage, Uint8Array]> {
    const facts = isSafePath(path) ? (await this.#scanner.scan()).get(path) : undefined;
    const content = facts && (await readFile(join(this.#settings.folder, path)).catch(() => undefined));
    return content === undefined ? [{ is: 'content', sha256: null }, new Uint8Array()] : [{ is: 'content', sha256: facts?.sha256 ?? null }, content];
  }

  serve(paths: readonly string[]): Promise<BoxMessage> {
    const serving = this.#serve(paths);
    this.#serving = serving.catch(() => undefined);
    return serving;
  }

  /** Nothing changes the folder meanwhile: what is asked is done one after the other. */
  async #serve(paths: readonly string[]): Promise<BoxMessage> {
    const began = performance.now();
    const { folder, host, port, workspace } = this.#settings;
    let well = false;
    try {
      if (await installDependencies(folder, log)) this.#anew = true;
      const { manifest } = await readProject(folder);
      if (this.#hosted !== undefined) well = await this.#hosted.take(paths, { anew: this.#anew });
      else {
        const options = {
          folder,
          entrypoint: manifest.entrypoint,
          host,
          port,
          reload: true,
          watch: false,
          inPlace: true,
          loadMs: LOAD_MS,
          workspace,
          env: this.#env,
        };
        this.#hosted = await hostProject({ ...options, note: log, complain: log });
        well = true;
      }
      if (well) this.#anew = false;
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      log(`${error.message}\n`);
    }
    return { is: 'served', well, ms: Math.round(performance.now() - began) };
  }

  async close(): Promise<void> {
    dropSpares();
    await this.#hosted?.close();
  }
}

const marksOf = (tree: Tree): Map<string, string> => new Map([...tree].map(([path, facts]) => [path, markOf(facts)]));

async function serveWeb({ port, host }: Settings): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const agent = connect({ port, host: host === '0.0.0.0' ? '127.0.0.1' : host });
    const end = (): void => {
      socket.destroy();
      agent.destroy();
    };
    socket.on('error', end).once('close', () => agent.destroy());
    agent.on('error', end).once('close', () => socket.destroySoon());
    socket.pipe(agent).pipe(socket);
  });
  await rm(WEB_SOCKET, { force: true });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(WEB_SOCKET, resolve));
  await chmod(WEB_SOCKET, 0o600);
}

/** All of it is in the repository's history. */
async function isCommitted(folder: string): Promise<boolean> {
  const status = await promisify(execFile)('git', ['-C', folder, 'status', '--porcelain'], { timeout: 20_000 }).catch(() => undefined);
  return status !== undefined && status.stdout.trim() === '';
}

async function main(): Promise<void> {
  let project: Project | undefined;
  try {
    for await (const { head, body } of readFrames(process.stdin, Ask)) {
      try {
        if (head.do === 'begin') {
          project = new Project(head.settings);
          await tell(await project.begin());
        } else if (project === undefined) throw new Error('The first frame begins.');
        else if (head.do === 'scan') await tell(await project.scan());
        else if (head.do === 'stage') await tell(await project.stage(head.sha256, body));
        else if (head.do === 'apply') await tell(await project.apply(head));
        else if (head.do === 'read') await tell(...(await project.read(head.path)));
        else await tell(await project.serve(head.paths));
      } catch (error) {
        await tell({ is: 'failed', message: error instanceof Error ? error.message : String(error) });
      }
    }
  } finally {
    await project?.close();
  }
  process.exit(0);
}

for (const signal of ['SIGHUP', 'SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.stdin.destroy());
await main();
