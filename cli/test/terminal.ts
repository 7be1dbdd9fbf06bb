// A real terminal with bash in it, for tests: keys go in, the screen is read. tmux, a server of its own.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const LAUNCHER = fileURLToPath(new URL('../bin.mjs', import.meta.url));
const WAIT_MS = 120_000;

export interface TestTerminal {
  /** Text as it is typed, without Enter; names of keys such as Enter, Tab, C-c by `key`. */
  type(text: string): Promise<void>;
  key(name: string): Promise<void>;
  /** Types a line. */
  line(text: string): Promise<void>;
  /**
   * Resolves with the match once the screen (and what scrolled off it) has it. `styled`: with its escape
   * codes.
   */
  shows(pattern: RegExp, styled?: boolean): Promise<RegExpExecArray>;
  screen(styled?: boolean): Promise<string>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** `svc` is on its PATH; `home` is the person's and the first folder. */
export async function openTerminal(
  home: string,
  { columns = 100, rows = 40, env = {} }: { columns?: number; rows?: number; env?: Record<string, string> } = {},
) {
  const bin = join(home, 'bin');
  await mkdir(bin, { recursive: true });
  await symlink(LAUNCHER, join(bin, 'svc'));
  const socket = `svc-test-${randomUUID()}`;
  const clean = { PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8', TMUX_TMPDIR: home, ...env };
  const tmux = async (...args: string[]): Promise<string> => (await execute('tmux', ['-L', socket, '-f', '/dev/null', ...args], { env: clean })).stdout;
  await writeFile(join(home, '.bashrc'), "PS1='$ '\n");
  const shell = 'exec bash --noprofile';
  await tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', home, shell);
  const screen = (styled = false): Promise<string> => tmux('capture-pane', '-p', '-J', '-S', '-500', ...(styled ? ['-e'] : []));
  const terminal: TestTerminal = {
    type: async (text) => void (await tmux('send-keys', '-l', text)),
    key: async (name) => void (await tmux('send-keys', name)),
    async line(text) {
      await terminal.type(text);
      await terminal.key('Enter');
    },
    async shows(pattern, styled) {
      for (const until = Date.now() + WAIT_MS; ; await sleep(50)) {
        const text = await screen(styled);
        const found = pattern.exec(text);
        if (found) return found;
        if (Date.now() > until) throw new Error(`The screen does not show ${String(pattern)}:\n${text}`);
      }
    },
    screen,
    async clear() {
      await tmux('send-keys', '-R', ';', 'clear-history');
      await terminal.key('C-l');
    },
    close: async () => void (await tmux('kill-server').catch(() => undefined)),
  };
  try {
    await terminal.shows(/^\$ ?$/m);
    return terminal;
  } catch (error) {
    await terminal.close();
    throw error;
  }
}
