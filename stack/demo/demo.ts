// `npm run demo`: with the stack up, does through the command line tool what a new user would do, and says
// where everything is.
import { join } from 'node:path';
import { styleText } from 'node:util';
import { z } from 'zod';
import { up } from '../commands/up.ts';
import { agentsDomain, baseUrl } from '../environment.ts';
import { readText, writeWhole } from '../files.ts';
import { lastAddresses } from '../parts/all.ts';
import type { Settings } from '../settings.ts';
import { sourceHash } from '../setup/source-hash.mjs';
import { toolLine } from '../tool-line.ts';
import { market } from './market.ts';
import { signedIn } from './person.ts';
import { story } from './story.ts';
import { commandLineTool } from './tool.ts';

const agent = 'text-kit';
/** In their order of use; sdk: what their image is made with. */
const AGENTS = [
  { name: agent, sdk: 'typescript' },
  { name: 'chart-room', sdk: 'typescript' },
  { name: 'librarian', sdk: 'typescript' },
  { name: 'analyst', sdk: 'python' },
];
const account = 'ada@svc.local';
const outline = { markdown: '# Agents\n\nAn agent is a class with [typed skills](https://example.org).\n\n## Why\n\nSo that others can call it.\n' };
const digest = {
  text: 'A skill may take its time. While it works it reports its progress. The caller sees the progress at once. The result comes last, with a receipt that anyone can verify.',
  sentences: 2,
};

/** Every step can be interrupted and done again. Resolves with the exit code. */
export async function demo(settings: Settings, print: (line: string) => void): Promise<number> {
  const say = (text: string) => print(`\n${styleText('bold', `▸ ${text}`)}`);
  const tool = commandLineTool(settings);

  say('Bringing the stack up');
  const code = await up(settings, print);
  if (code !== 0) return code;

  say('Signing in');
  if (!(await tool.succeeds('whoami'))) await tool.run('login', '--local', account);
  await tool.run('whoami');

  const deploys = await startDeploys(settings, tool, say, print);
  try {
    const receiptId = await callAll(settings, tool, deploys.live, say, print);
    for (const line of closing(settings, receiptId)) print(line);
  } finally {
    // After a failed call, wait for the deploys, too.
    await deploys.ended;
  }
  return 0;
}

type Tool = ReturnType<typeof commandLineTool>;

/**
 * Calls each agent as soon as it is live, while the others are still built. Resolves with the first agent's
 * receipt id.
 */
async function callAll(settings: Settings, tool: Tool, live: Deploys['live'], say: (text: string) => void, print: (line: string) => void): Promise<string> {
  await live(agent);
  say(`Calling a plain skill: svc call ${agent} outline`);
  await tool.run('call', agent, 'outline', '--json', JSON.stringify(outline));
  say(`Calling a skill that streams its progress: svc call ${agent} digest`);
  await tool.run('call', agent, 'digest', '--json', JSON.stringify(digest));

  const [receipt] = z.array(z.object({ receipt_id: z.string() })).parse(JSON.parse(await tool.read('receipt', 'list', agent, '--limit', '1', '--json')));
  if (receipt === undefined) throw new Error(`the calls left no receipt: svc receipt list ${agent} should show them`);

  const person = await signedIn(baseUrl(settings), settings.inherited.HOME ?? '~');
  const hops = await story(person, { say, print, live, baseUrl: baseUrl(settings), folder: join(settings.stateDir, 'demo') });

  say('A simulated market: under which price rule do its creators stay solvent?');
  await market(tool, join(settings.stateDir, 'demo'));

  say(`Verifying the receipt of every hop: svc receipt verify ${receipt.receipt_id} --agent ${agent}`);
  for (const hop of [{ agent, receiptId: receipt.receipt_id }, ...hops]) await tool.run('receipt', 'verify', hop.receiptId, '--agent', hop.agent);
  return receipt.receipt_id;
}

interface Deploys {
  /** Resolves when the agent is live; rejects when its deploy failed. */
  live(name: string): Promise<void>;
  /** Resolves when all have ended, however. */
  ended: Promise<unknown>;
}

/** Deploys side by side what has changed since the last demo. The stages of the first one are shown. */
async function startDeploys(settings: Settings, tool: Tool, say: (text: string) => void, print: (line: string) => void): Promise<Deploys> {
  const note = join(settings.stateDir, 'setup', 'demo.json');
  const noted = new Map(Object.entries(Noted.parse(JSON.parse(readText(note) ?? '{}'))));
  const wanted = AGENTS.map(({ name, sdk }) => {
    const project = join(settings.repository, 'examples', name);
    return { name, project, source: sourceHash([project, join(settings.repository, 'sdk', sdk)]) };
  });
  const live = z.array(z.object({ name: z.string(), state: z.string() })).parse(JSON.parse(await tool.read('agents', '--json')));
  const due = wanted.filter(({ name, source }) => noted.get(name) !== source || !live.some((one) => one.name === name && one.state === 'live'));
  for (const { name } of wanted.filter((one) => !due.includes(one))) print(`${name} is deployed already`);
  if (due.length > 0) say(`Deploying ${due.map(({ name }) => `examples/${name}`).join(', ')}, each into a microVM of its own`);
  const deploy = async (at: number, name: string, project: string, source: string): Promise<void> => {
    const args = ['deploy', project, '--public', '--wait'];
    await (at === 0 ? tool.run(...args) : tool.quietly(...args));
    noted.set(name, source);
    writeWhole(note, JSON.stringify(Object.fromEntries(noted)));
    print(`  ${name} is live`);
  };
  const deploys = new Map(due.map(({ name, project, source }, at) => [name, deploy(at, name, project, source)]));
  return { live: async (name) => deploys.get(name), ended: Promise.allSettled(deploys.values()) };
}

const Noted = z.record(z.string(), z.string()).catch({});

function closing(settings: Settings, receiptId: string): string[] {
  const base = baseUrl(settings);
  const { protocol } = new URL(base);
  const { temporalUi } = lastAddresses(settings);
  const addresses = {
    Dashboard: base,
    'API reference': `${base}/docs/api`,
    'The agent': `${protocol}//${agent}.${agentsDomain(settings)}/.well-known/agent-card`,
    'Temporal UI': temporalUi === undefined ? `at your own server (${settings.TEMPORAL_ADDRESS ?? ''})` : `http://localhost:${temporalUi.port}`,
    'Your token': join(settings.inherited.HOME ?? '~', '.svc', 'credentials.json'),
  };
  return [
    '',
    ...Object.entries(addresses).map(([name, address]) => `${name.padEnd(15)}${styleText('cyan', address)}`),
    '',
    'Next:',
    ...(base === 'http://localhost:8080' ? [] : [`  export SVC_API_URL=${base}`]),
    `  ${toolLine()}`,
    `  svc call ${agent} compare before="one two" after="one three"`,
    `  svc receipt show ${receiptId} --agent ${agent}`,
    '  svc init my-agent --language typescript && svc deploy my-agent && svc call my-agent greet name=Ada',
    '',
    'npm run status shows the parts, npm run logs what they say, npm run down stops them all.',
  ];
}
