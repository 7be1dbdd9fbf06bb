// Copied into a project: calls its agent once and writes what came of it. A line on standard input: the
// caller goes away.
import { testAgent } from '@svc/sdk/testing';
import type { Agent, AgentCard, AgentEvent } from '@svc/sdk';

export interface Call {
  file: string;
  exported: string;
  /** Absent: only the card is read. */
  skill: string;
  args: object;
  /** To the questions, in their order. */
  answers: readonly string[];
}

export interface Outcome {
  card: AgentCard;
  result?: unknown;
  error?: string;
  questions: string[];
  events: AgentEvent[];
}

const { file = './agent.ts', exported = 'default', skill, args = {}, answers = [] }: Partial<Call> = JSON.parse(process.argv[2] ?? '{}');
// Safe: the file exports an agent; its skills are known at run time.
const module = (await import(file)) as Record<string, new () => Agent>;
const source = module[exported];
if (!source) throw new Error(`${file} does not export ${exported}`);
const questions: string[] = [];
const left = [...answers];
const agent = testAgent(source, {
  onQuestion: ({ prompt }) => {
    questions.push(prompt);
    return left.shift() ?? '';
  },
});
const outcome: Outcome = { card: agent.card, questions, events: [] };
if (skill !== undefined) {
  const invoke = agent.invoke as unknown as (skill: string, args: object, options: object) => Promise<{ result: unknown; events: AgentEvent[] }>;
  const leaving = new AbortController();
  process.stdin.once('data', () => leaving.abort());
  await invoke(skill, args, { signal: leaving.signal }).then(
    ({ result, events }) => Object.assign(outcome, { result, events }),
    (error: unknown) => (outcome.error = error instanceof Error ? `${error.name}: ${error.message} ${error.cause ?? ''}` : String(error)),
  );
}
await agent.shutdown();
process.stdout.write(`\n${JSON.stringify(outcome)}\n`, () => process.exit(0));
