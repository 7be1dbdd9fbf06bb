// What every sandbox driver does, whatever it is made of. Runs against an image with /bin/sh and python3.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_OUTPUT_BYTES, type SandboxRuntime } from './port.ts';
import { filesOf, run, sandboxInput, shell } from './test/programs.ts';
import { cites } from '#test/spec/verifies.ts';

export function sandboxConformance(open: () => Promise<{ runtime: SandboxRuntime; end(): Promise<void> }>): void {
  let runtime: SandboxRuntime;
  let end: () => Promise<void> = async () => undefined;
  const { sandbox_id: id } = sandboxInput();
  beforeAll(async () => {
    ({ runtime, end } = await open());
    await runtime.create(
      sandboxInput({
        sandbox_id: id,
        env: { API_TOKEN: 's3cret value=x' },
        files: filesOf({ 'in/data.txt': 'before', 'keep.txt': 'same', 'gone.txt': 'bye' }),
      }),
    );
  }, 180_000);
  afterAll(() => end(), 60_000);

  describe('exec (spec 2, Sandbox: no shell parsing; ExecResult)', () => {
    it('gives arguments to the program untouched', cites('sandbox.handle'), async () => {
      const result = await run(runtime, id, 'printf', ['%s|', '$HOME', 'a b', ';ls', "'", '']);
      expect(result).toEqual({ stdout: "$HOME|a b|;ls|'||", stderr: '', exit_code: 0, truncated: false, timed_out: false });
    });

    it('runs python, passes standard input, keeps both outputs apart and answers the exit code', async () => {
      const code = 'import sys; print(sys.stdin.read().upper()); print("oops", file=sys.stderr); sys.exit(7)';
      const result = await runtime.exec(
        id,
        { command: 'python3', args: ['-c', code], stdin: Buffer.from('hällo'), timeout_ms: 60_000 },
        AbortSignal.timeout(60_000),
      );
      expect(result).toMatchObject({ stdout: 'HÄLLO\n', stderr: 'oops\n', exit_code: 7 });
    });

    it('starts in /workspace or a folder below it, as an ordinary user, with the environment of its sandbox', async () => {
      expect((await shell(runtime, id, 'pwd; id -u; echo "$API_TOKEN"')).stdout).toBe('/workspace\n1000\ns3cret value=x\n');
      const below = await runtime.exec(id, { command: 'pwd', args: [], cwd: 'in', timeout_ms: 10_000 }, AbortSignal.timeout(20_000));
      expect(below.stdout).toBe('/workspace/in\n');
      for (const cwd of ['/etc', '../etc', 'in/../..'])
        await expect(runtime.exec(id, { command: 'pwd', args: [], cwd, timeout_ms: 10_000 }, AbortSignal.timeout(20_000))).rejects.toMatchObject({
          code: 'bad_request',
        });
    });

    it('says when there is no such program, and 128 + signal when one ended it', async () => {
      expect(await run(runtime, id, 'no-such-program')).toMatchObject({ exit_code: 127 });
      expect(await shell(runtime, id, 'kill -9 $$')).toMatchObject({ exit_code: 137 });
    });

    it('keeps the first and the last half of too much output, and says so', cites('sandbox.truncated'), async () => {
      const result = await run(runtime, id, 'python3', ['-c', `import sys\nsys.stdout.write("a" * ${MAX_OUTPUT_BYTES} + "\\n" + "z" * ${MAX_OUTPUT_BYTES})`]);
      expect(result.truncated).toBe(true);
      expect(result.stdout.startsWith('aaaa')).toBe(true);
      expect(result.stdout.endsWith('zzzz')).toBe(true);
      expect(result.stdout).toMatch(new RegExp(`left out`));
      expect(result.stdout.length).toBeLessThan(MAX_OUTPUT_BYTES + 100);
    });

    it('at its time limit ends the program and everything it started: daemons, other sessions, the deaf', async () => {
      const deaf = (file: string): string => `trap "" TERM HUP INT QUIT; echo $$ > /tmp/${file}; while :; do sleep 1; done`;
      const script = `
        setsid sh -c '${deaf('session')}' &
        ( ( setsid sh -c '${deaf('daemon')}' >/dev/null 2>&1 & ) & )
        while ! test -s /tmp/session || ! test -s /tmp/daemon; do sleep 0.1; done
        echo all up
        sleep 1000`;
      const result = await shell(runtime, id, script, 20_000);
      expect(result).toMatchObject({ timed_out: true, exit_code: 124 });
      expect(result.stdout).toBe('all up\n');
      const left = await shell(runtime, id, 'for f in session daemon; do test -d "/proc/$(cat /tmp/$f)" || echo gone; done');
      expect(left.stdout).toBe('gone\ngone\n');
    }, 60_000);

    it('ends the program when its caller goes away', async () => {
      const abort = new AbortController();
      const running = runtime.exec(id, { command: 'sh', args: ['-c', 'echo here > /tmp/started; exec sleep 997'], timeout_ms: 100_000 }, abort.signal);
      running.catch(() => undefined);
      await expect.poll(async () => (await shell(runtime, id, 'cat /tmp/started')).stdout, { timeout: 20_000 }).toBe('here\n');
      abort.abort();
      await expect(running).rejects.toThrow();
      await expect.poll(async () => (await shell(runtime, id, `grep -la 'slee[p].997' /proc/[0-9]*/cmdline`)).stdout, { timeout: 40_000 }).toBe('');
    });

    it('runs several programs at once', async () => {
      const results = await Promise.all([1, 2, 3].map((n) => shell(runtime, id, `sleep 0.2; echo ${n}`)));
      expect(results.map((result) => result.stdout)).toEqual(['1\n', '2\n', '3\n']);
    });

    it('lets a background program live on after the one that started it', async () => {
      await shell(runtime, id, '(sleep 5; echo late > /tmp/late) >/dev/null 2>&1 &');
      await expect.poll(async () => (await shell(runtime, id, 'cat /tmp/late')).stdout, { timeout: 30_000 }).toBe('late\n');
    });
  });

  describe('files', () => {
    it('come in, and what changed comes out: changed, made and deleted, nothing else', async () => {
      expect((await shell(runtime, id, 'cat in/data.txt keep.txt')).stdout).toBe('beforesame');
      await shell(
        runtime,
        id,
        'printf after > in/data.txt; touch keep.txt; rm gone.txt; mkdir -p out; printf "\\0\\1" > out/new.bin; ln -s /etc/passwd out/link',
      );
      const changes = await runtime.changes(id, 1_000_000);
      const contentByPath = Object.fromEntries(changes.map(({ path, content }) => [path, content === null ? null : Buffer.from(content).toString('latin1')]));
      expect(contentByPath).toEqual({ 'in/data.txt': 'after', 'out/new.bin': '\0\u0001', 'gone.txt': null });
    });

    it('are bounded in bytes', async () => {
      await shell(runtime, id, 'head -c 100000 /dev/zero > big');
      await expect(runtime.changes(id, 50_000)).rejects.toMatchObject({ code: 'bad_request' });
      await shell(runtime, id, 'rm big');
    });

    it.each(['../x', '/etc/passwd', 'a/../../b', 'a//b', '.', 'line\nbreak'])('with the path %j are refused', async (path) => {
      await expect(runtime.create(sandboxInput({ files: filesOf({ [path]: 'x' }) }))).rejects.toMatchObject({ code: 'bad_request' });
    });
  });

  describe('life', () => {
    it('create is idempotent by its id', async () => {
      const [a, b] = [await runtime.create(sandboxInput({ sandbox_id: id })), await runtime.get(id)];
      expect(a.created_at).toBe(b?.created_at);
      expect((await shell(runtime, id, 'cat in/data.txt')).stdout).toBe('after');
    });

    it('refuses an unknown image and names those it has', async () => {
      await expect(runtime.create(sandboxInput({ image: 'no such image' }))).rejects.toMatchObject({ code: 'image_unknown' });
      await expect(runtime.create(sandboxInput({ image: 'registry.invalid/x:1' }))).rejects.toThrow(/python:3\.11-slim/);
    });

    it('refuses more memory than there is, and an address as egress', async () => {
      await expect(runtime.create(sandboxInput({ memory_mib: 60_000 }))).rejects.toMatchObject({ code: 'bad_request' });
      await expect(runtime.create(sandboxInput({ egress: ['169.254.169.254'] }))).rejects.toMatchObject({ code: 'bad_request' });
    });

    it('rests when nothing runs, and the next program finds everything as it was', async () => {
      await shell(runtime, id, 'echo kept > /tmp/kept');
      await new Promise((resolve) => setTimeout(resolve, 5_000)); // what is waited for cannot be seen from outside
      expect((await shell(runtime, id, 'cat /tmp/kept')).stdout).toBe('kept\n');
    });

    it('keeps logs, also after stop; a stopped one runs nothing; remove forgets all', cites('sandbox.handle'), async () => {
      await shell(runtime, id, 'echo one; echo two >&2');
      await runtime.stop(id);
      await runtime.stop(id);
      expect(await runtime.logs(id, 50)).toMatch(/one/);
      expect(await runtime.get(id)).toMatchObject({ state: 'stopped' });
      await expect(run(runtime, id, 'true')).rejects.toMatchObject({ code: 'stopped' });
      await runtime.remove(id);
      await runtime.remove(id);
      expect(await runtime.get(id)).toBeUndefined();
      await expect(runtime.logs(id, 1)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('stop asks politely first', cites('sandbox.handle'), async () => {
      const { sandbox_id } = await runtime.create(sandboxInput());
      const program = shell(runtime, sandbox_id, 'trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.1; done');
      await expect.poll(() => runtime.logs(sandbox_id, 5), { timeout: 20_000 }).toContain('up');
      await runtime.stop(sandbox_id);
      expect(await program).toMatchObject({ exit_code: 3, stdout: 'up\nbye\n' });
      await runtime.remove(sandbox_id);
    });

    it('ends a sandbox that had no program for its idle time', async () => {
      const { sandbox_id } = await runtime.create(sandboxInput({ idle_ms: 1_500 }));
      await expect.poll(async () => (await runtime.get(sandbox_id))?.state, { timeout: 30_000 }).toBe('stopped');
      await runtime.remove(sandbox_id);
    });

    it('kill ends at once, in the middle of a program', cites('sandbox.handle'), async () => {
      const { sandbox_id } = await runtime.create(sandboxInput());
      const program = run(runtime, sandbox_id, 'sleep', ['100']);
      program.catch(() => undefined);
      await runtime.kill(sandbox_id);
      await expect(program).rejects.toMatchObject({ code: 'stopped' });
      expect((await runtime.list()).find((one) => one.sandbox_id === sandbox_id)?.state).toBe('stopped');
      await runtime.remove(sandbox_id);
    });
  });
}
