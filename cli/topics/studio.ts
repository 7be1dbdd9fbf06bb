// The studio: from a goal to an agent, its runs, and ideas for more.
import { Option } from 'clipanion';
import { integer } from '../lib/api-command.ts';
import { StudioClaimCommand, StudioGuestCommand } from '../commands/studio/guest.ts';
import { StudioMakeCommand, StudioResolveCommand } from '../commands/studio/make.ts';
import { type Answer, command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';
import { MODEL_WORDS, modelIn } from '../studio/model-words.ts';
import { ideaLines, runLines } from '../studio/show.ts';

function ideasHint({ runs }: Answer<'agentStudio.ideas'>, build: boolean): string | undefined {
  if (build && runs.length === 0) return 'Nothing is being made: each of them needs an input.';
  return runs.map(({ name, run_id }) => `${name} is being made. See it with: svc studio get ${run_id}`).join('\n') || undefined;
}

export const commands = [
  StudioResolveCommand,
  StudioMakeCommand,
  command('studio list', {
    about: 'list your runs of the studio, newest first',
    examples: [['The last twenty', 'svc studio list']],
    options: () => ({ limit: Option.String('--limit,-n', '20', { description: 'how many' }) }),
    route: 'agentStudio.list',
    send: ({ limit }) => ({ query: { limit: integer('--limit', limit, { min: 1, max: 100 }) } }),
    json: ({ items }) => items,
    columns: {
      RUN: ({ run_id }) => run_id,
      AGENT: ({ name }) => name,
      STATE: ({ state }) => state,
      DECISION: ({ decision }) => decision,
      BEGAN: ({ created_at }) => created_at,
      GOAL: ({ goal }) => plain(goal),
    },
    empty: () => 'None. Make an agent with: svc studio create NAME "GOAL" --wait',
  }),
  command('studio get', {
    about: 'show a run of the studio: its source, checks, findings, samples, spending, and what is left for you',
    examples: [['One', 'svc studio get std_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
    arguments: { run: 'RUN' },
    route: 'agentStudio.get',
    send: ({ run }) => ({ params: { run_id: run } }),
    lines: runLines,
    hint: ({ ended_at, job_id }) => (ended_at === null && job_id !== null ? `It is running. Cancel it with: svc cancel ${job_id}` : undefined),
  }),
  command('studio ideas', {
    about: 'show a hundred ideas for agents on a theme, scored; with --build make the best three',
    details: 'The same theme gives the same ideas; the agents on the platform decide how much each idea is needed. --json has the parts of each score.',
    examples: [
      ['The best ten', 'svc studio ideas "small harbours" --limit 10'],
      ['Make the best three, for six dollars together at most', 'svc studio ideas "small harbours" --build --model default --budget 600'],
    ],
    arguments: { theme: 'THEME' },
    options: () => ({
      build: Option.Boolean('--build', false, { description: 'start runs for the best three that need no further input' }),
      budget: Option.String('--budget', '3000', { description: 'cents of the three together, 300 to 9000' }),
      model: Option.String('--model', { description: MODEL_WORDS }),
      credential: Option.String('--credential', { description: 'the model credential that is used (svc models)' }),
      limit: Option.String('--limit,-n', '20', { description: 'how many are shown' }),
    }),
    route: 'agentStudio.ideas',
    send: ({ theme, build, budget, model: named, credential, limit }) => {
      integer('--limit', limit, { min: 1, max: 100 });
      const model = modelIn(named, credential);
      const total_budget_cents = integer('--budget', budget, { min: 300, max: 9000 });
      return { body: { theme, build_top_three: build, total_budget_cents, ...(model !== undefined && { model }) } };
    },
    json: (ideas, { limit }) => ({ ...ideas, items: ideas.items.slice(0, Number(limit)) }),
    lines: (ideas, { limit }) => ideaLines(ideas, Number(limit)),
    hint: (ideas, { build }) => ideasHint(ideas, build),
  }),
  StudioGuestCommand,
  StudioClaimCommand,
];
