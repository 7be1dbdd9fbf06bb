// What an adapter adds to a call, over the bare framework that streams the same answer of the same model on
// this machine: one after the other by turns, in one process, with only the framework's newest supported
// version installed. `node bench/adapters.ts`
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { adapterProject } from '#sdk/typescript/adapters/test/project.ts';
import { startProvider } from '#test/support/provider/provider.ts';
import { median, printAdded, QUICK } from './ratio.ts';

const run = promisify(execFile);
const CALLS = QUICK ? 60 : 300;
const WARM_UP = 20;
const TARGET_MS = 5;

interface Peer {
  packages: readonly string[];
  args: object;
  imports: string;
  /** One call without us, read to its end. */
  bare: string;
}

const MESSAGES = "[{ role: 'user', content: 'Hello' }]";
const PEERS: Record<string, Peer> = {
  'ai-sdk': {
    packages: ['ai@7.0.173', '@ai-sdk/openai@4.0.118', 'zod@4.6.7'],
    args: { message: 'Hello' },
    imports: "import { support } from './support.ts';",
    bare: `const s = await support.stream({ messages: ${MESSAGES} }); for await (const _ of s.fullStream); await s.output;`,
  },
  langgraph: {
    packages: ['@langchain/langgraph@1.7.3', '@langchain/core@1.4.0', '@langchain/openai@1.6.0', 'zod@4.6.7'],
    args: { messages: [{ role: 'user', content: 'Hello' }] },
    imports: "import { graph } from './support.ts';",
    bare: `for await (const _ of await graph.stream({ messages: ${MESSAGES} }, { configurable: { thread_id: String(at) }, streamMode: ['messages', 'values'] }));`,
  },
  'openai-agents': {
    packages: ['@openai/agents@0.20.0', 'zod@4.6.7'],
    args: { message: 'Hello' },
    imports: "import { run } from '@openai/agents'; import { support } from './support.ts';",
    bare: "const s = await run(support, 'Hello', { stream: true }); for await (const _ of s); await s.completed;",
  },
  mastra: {
    packages: ['@mastra/core@1.71.0', '@ai-sdk/openai@4.0.0', 'zod@4.6.7'],
    args: { message: 'Hello' },
    imports: "import { support } from './support.ts';",
    bare: "const s = await support.stream('Hello'); for await (const _ of s.fullStream); await s.text;",
  },
};

const measuring = ({ imports, bare, args }: Peer): string => `import { testAgent } from '@svc/sdk/testing';
${imports}
import Adapted from './agent.ts';
const agent = testAgent(Adapted);
const took = { bare: [], ours: [] };
const timed = async (of, work) => { const began = performance.now(); await work(); of.push(performance.now() - began); };
for (let at = 0; at < ${CALLS + WARM_UP}; at += 1) {
  await timed(took.bare, async () => { ${bare} });
  await timed(took.ours, () => agent.invoke('run', ${JSON.stringify(args)}));
}
process.stdout.write('\\n' + JSON.stringify(took) + '\\n', () => process.exit(0));
`;

const provider = await startProvider();
try {
  for (const [name, peer] of Object.entries(PEERS)) {
    const project = await adapterProject(peer.packages, { example: name });
    try {
      await writeFile(join(project.folder, 'measure.js'), measuring(peer));
      provider.turns = Array.from({ length: 2 * (CALLS + WARM_UP) }, () => ({ says: ['Hel', 'lo, ', 'how ', 'are ', 'you?'] }));
      const env = { ...process.env, OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'sk-bench', OPENAI_AGENTS_DISABLE_TRACING: '1' };
      const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', 'measure.js'], { cwd: project.folder, env });
      const took = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { bare: number[]; ours: number[] }; // written by the program above
      const [bare, ours] = [took.bare.slice(WARM_UP), took.ours.slice(WARM_UP)];
      console.log(`${name}: bare ${median(bare).toFixed(2)} ms, as an agent ${median(ours).toFixed(2)} ms, medians of ${CALLS}`);
      const added = ours.map((one, at) => one - (bare[at] ?? Number.NaN)).toSorted((one, other) => one - other);
      const spread: [number, number] = [added[Math.floor(added.length / 10)] ?? Number.NaN, added[Math.floor((added.length * 9) / 10)] ?? Number.NaN];
      printAdded({ name: `${name}, over the bare framework`, ms: median(ours) - median(bare), spread, target: TARGET_MS });
    } finally {
      await project.remove();
    }
  }
} finally {
  await provider.close();
}
