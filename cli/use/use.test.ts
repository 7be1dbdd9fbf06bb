// Agents in use: typed commands, and completion by a real shell.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { agents } from '#contract/agents/agents.ts';
import { consumerSetup } from '#contract/agents/consumer-setup.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { NotFound } from '#core/kernel/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { liveAgent } from '../test/live-agent.ts';
import { signedIn, toolAt } from '../test/signed-in.ts';
import { cites } from '#test/spec/verifies.ts';

const card = AgentCard.parse({
  name: 'text-kit',
  description: 'Works on texts\u001b[2J',
  version: '1.2.0',
  skills: [
    {
      id: 'shorten',
      name: 'shorten',
      description: 'Makes a text shorter',
      input_schema: {
        type: 'object',
        required: ['text', 'max_words'],
        properties: {
          text: { type: 'string', description: 'What to shorten' },
          max_words: { type: 'integer', minimum: 1 },
          style: { enum: ['plain', 'formal', 'rm -rf $(x)'], default: 'plain' },
          strict: { type: 'boolean' },
          keep: { type: 'array', items: { type: 'string' } },
          options: { type: 'object' },
        },
      },
      output_schema: {},
    },
    { id: 'word_count', name: 'word_count', input_schema: { type: 'object', properties: {} }, output_schema: {} },
  ],
});

const { get, invoke } = agents;
function serve() {
  return serveForTest(
    { agents: { get, invoke }, consumerSetup: { get: consumerSetup.get } },
    {
      agents: {
        get(_ctx, { params: { name } }) {
          if (name === 'nobody') throw new NotFound('agent_not_found', 'There is no agent nobody');
          return liveAgent(name, card);
        },
        invoke: (_ctx, { params, body }, http) => http.reply(200, { tool: params.skill_name, body }),
      },
      consumerSetup: { get: (_ctx, { params }) => ({ agent: params.name, complete: false, missing: ['api_key'], fields: [] }) },
    },
  );
}

const svc = (...argv: string[]) => tool.run(argv, signedIn);
const { tool } = await toolAt(await serve());

test('use fetches the card and says what is to be set up; unuse forgets it', cites('cli.use', 'cli.unuse'), async () => {
  const ran = await svc('use', 'text-kit');
  expect(ran).toMatchObject({ code: EXIT.ok });
  expect(ran.out).toContain('svc text-kit shorten  Makes a text shorter');
  expect(ran.err).toContain('text-kit still needs of you: api_key. Set it with: svc setup text-kit');
  expect((await svc('use', 'nobody')).code).toBe(EXIT.failure);
  expect((await svc('unuse', 'other')).err).toContain('In use: text-kit');
  expect(JSON.parse((await svc('use', 'logs', '--json')).out)).toMatchObject({ agent: 'logs', tools: ['shorten', 'word_count'] });
  expect((await svc('use', 'logs')).err).toContain('svc call logs TOOL');
  expect((await svc('unuse', 'logs')).code).toBe(EXIT.ok);
});

test('its tools are commands with flags of their own', async () => {
  const ran = await svc(
    'text-kit',
    'shorten',
    '--text',
    'one two',
    '--max-words=3',
    '--style',
    'Formal',
    '--no-strict',
    '--keep',
    'a,b',
    '--options',
    '{"a":1}',
  );
  expect(ran.code).toBe(EXIT.ok);
  expect(JSON.parse(ran.out)).toEqual({
    tool: 'shorten',
    body: { text: 'one two', max_words: 3, style: 'formal', strict: false, keep: ['a', 'b'], options: { a: 1 } },
  });
  const repeated = await svc('text-kit', 'shorten', '--text', '-x', '--max_words', '1', '--keep', 'a,b', '--keep', 'c', '--strict');
  expect(JSON.parse(repeated.out).body).toEqual({ text: '-x', max_words: 1, keep: ['a,b', 'c'], strict: true });
  expect(JSON.parse((await svc('text-kit', 'word-count')).out)).toEqual({ tool: 'word_count', body: {} });
});

test('values from files and standard input, and all as JSON', async () => {
  const file = join(tool.home, 'note.txt');
  await writeFile(file, '@not a file');
  const ran = await tool.run(['text-kit', 'shorten', '--text', `@${file}`, '--max-words', '@-'], { ...signedIn, stdin: '7' });
  expect(JSON.parse(ran.out).body).toEqual({ text: '@not a file', max_words: 7 });
  expect(JSON.parse((await tool.run(['text-kit', 'shorten', '--json', '@-'], { ...signedIn, stdin: '{"x":1}' })).out).body).toEqual({ x: 1 });
});

test.each([
  [['shorten', '--text', 'x'], '--max-words is required (whole number).'],
  [['shorten', '--text', 'x', '--max-words', 'many'], '--max-words: type a whole number'],
  [['shorten', '--text', 'x', '--max-words', '0'], '--max-words: A number, at least 1'],
  [['shorten', '--txt', 'x'], 'There is no --txt. Did you mean --text?'],
  [['shorten', 'x'], '"x" is not a flag: give each argument by its name, as in --text VALUE.'],
  [['shorten', '--style', 'odd'], 'is required'],
  [['shorten', '--text', 'x', '--max-words', '1', '--style', 'odd'], '--style: Choose one of plain, formal'],
  [['shorten', '--text', 'x', '--text', 'y', '--max-words', '1'], '--text is given twice'],
  [['shorten', '--text'], '--text needs a value'],
  [['shorten', '--json', '{}', '--text', 'x'], 'not both'],
  [['shrten'], 'Did you mean: svc text-kit shorten?'],
  [[], 'Usage: svc text-kit TOOL'],
])('%j is refused with what to do', async (words, message) => {
  const ran = await svc('text-kit', ...words);
  expect(ran).toMatchObject({ code: EXIT.usage, out: '' });
  expect(ran.err).toContain(message);
});

test('pages of the agent and of a tool', async () => {
  const page = await svc('text-kit', '--help');
  expect(page.out).toContain('shorten     Makes a text shorter');
  expect(page.out).not.toContain('\u001b');
  const { out } = await svc('text-kit', 'shorten', '-h');
  expect(out).toContain('Usage: svc text-kit shorten --text VALUE --max-words VALUE [OPTIONS]');
  expect(out).toMatch(/--max-words VALUE +\(whole number; required\)/);
  expect(out).toMatch(/--style VALUE +\(plain, formal, .*default: plain\)/);
  expect(out).toContain('--strict, --no-strict');
});

/** What bash offers for these words, the last being the one under the cursor. */
async function offered(...words: string[]): Promise<string[]> {
  const script = (await svc('completion', 'bash')).out;
  const line = `COMP_WORDS=(svc ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', `${script}\ncompopt() { :; }\n${line}`], { env: { HOME: join(tool.home, 'person'), PATH: process.env.PATH } })
    .toString()
    .split('\n')
    .filter(Boolean);
}

test('bash completes commands, agents in use, tools, flags and choices', async () => {
  await mkdir(join(tool.home, 'person', '.svc', 'agents'), { recursive: true });
  await writeFile(join(tool.home, 'person', '.svc', 'agents', 'completion'), await readFile(join(tool.home, '.svc', 'agents', 'completion')));
  expect(await offered('dep')).toEqual(['deploy']);
  expect(await offered('tex')).toEqual(['text-kit']);
  expect(await offered('receipt', '')).toEqual(['list', 'show', 'verify']);
  expect(await offered('deploy', '--pub')).toEqual(['--public']);
  expect(await offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
  expect(await offered('text-kit', 's')).toEqual(['shorten']);
  expect(await offered('text-kit', 'shorten', '--ma')).toEqual(['--max-words']);
  expect(await offered('text-kit', 'shorten', '--style', '')).toEqual(['plain', 'formal']);
  expect(await offered('call', 'text-kit', 'shorten', 'te')).toEqual(['text=']);
  // After a place, too; an option with a few words offers them, one with a path leaves it to the shell.
  expect(await offered('init', 'greeter', '--lang')).toEqual(['--language']);
  expect(await offered('init', 'greeter', '--language', 't')).toEqual(['typescript']);
  expect(await offered('compile', '--out', '')).toEqual([]);
  expect(await offered('status', 'te')).toEqual(['text-kit']);
});

test('each shell has its script', async () => {
  expect((await svc('completion', 'zsh')).out).toContain('#compdef svc');
  expect((await svc('completion', 'fish')).out).toContain('complete -c svc');
  expect((await svc('completion', 'tcsh')).code).toBe(EXIT.usage);
});
