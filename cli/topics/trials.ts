// Trial rooms: one task that several agents answer side by side.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { Option } from 'clipanion';
import type { z } from 'zod';
import type { TrialRoomIn, TrialRoomOut, TrialRunOut } from '#contract/studio/trial-rooms.ts';
import { integer } from '../lib/api-command.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';
import { points, roomLines, runLines, whoOf } from '../trials/show.ts';
import { run as runTrials } from './trials/run.ts';

function jsonOf(option: string, text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch (error) {
    throw new CliError(`${option} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function datasetOf(text: string): object {
  const [agent, dataset] = text.split('/');
  if (!agent || !dataset) throw new CliError('--dataset needs AGENT/DATASET, e.g. invoice-reader/totals');
  return { agent, dataset };
}

/** @throws CliError where the room has no such run */
function runIn(room: TrialRoomOut, slug: string, run: string): TrialRunOut {
  const trialRun = room.contestants.find(({ run_id }) => run_id === run);
  if (!trialRun) throw new CliError(`${slug} has no run ${run}: see svc trials get ${slug}`);
  return trialRun;
}

/** The newest run of each contestant, and whether it is bad. */
function newestOf({ contestants }: TrialRoomOut): { run: TrialRunOut; isBad: boolean }[] {
  const newest = new Map<string, TrialRunOut>();
  for (const run of contestants.toSorted((a, b) => a.created_at.localeCompare(b.created_at)))
    newest.set(run.contestant === null ? run.label : `${run.contestant.agent ?? run.contestant.model}/${run.contestant.skill ?? ''}`, run);
  return [...newest.values()].map((run) => ({ run, isBad: run.compared?.verdict === 'worse' || run.state === 'failed' || run.state === 'cancelled' }));
}

export const commands = [
  command('trials check', {
    about: 'fail where the newest version of a contestant does worse than the one before',
    details: 'For CI. Ends with 1 where the whole interval of the difference is below 0, or the newest run did not succeed.',
    examples: [['After a deploy, in a room with --on-deploy', 'svc trials check invoice-reader']],
    arguments: { room: 'ROOM' },
    route: 'trialRooms.get',
    send: ({ room }) => ({ params: { slug: room } }),
    json: (room) =>
      newestOf(room).map(({ run, isBad }) => ({ run_id: run.run_id, contestant: run.contestant, state: run.state, compared: run.compared, ok: !isBad })),
    lines: (room) =>
      newestOf(room).map(({ run, isBad }) => {
        const verdict = run.compared ? `${run.compared.verdict}, ${points(run.compared.gain.mean)} points` : run.state;
        return `${isBad ? 'bad' : 'ok '} ${plain(whoOf(run))}: ${verdict}`;
      }),
    exit: (room) => (newestOf(room).some(({ isBad }) => isBad) ? EXIT.failure : EXIT.ok),
  }),
  command('trials create', {
    about: 'make a trial room: one task that several agents answer side by side',
    details: 'FILE is JSON with the fields of a room; options override it.',
    examples: [
      ['Two cases with what their answers must contain', 'svc trials create --title "Invoice reader" --goal "Read the total" --case \'{"inputs": {"text": "Total: 5"}, "facts": ["5"]}\''], // prettier-ignore
      ['A regression suite from a dataset', 'svc trials create --title Totals --goal "Read the total" --dataset invoice-reader/totals --on-deploy'],
      ['From a file', 'svc trials create room.json'],
    ],
    arguments: { file: '[FILE]' },
    options: () => ({
      title: Option.String('--title'),
      slug: Option.String('--slug', { description: 'its name in commands (default: made from the title)' }),
      goal: Option.String('--goal', { description: 'the task in words' }),
      cases: Option.Array('--case', [], { description: 'JSON: {"name", "inputs", "expected", "facts"}; several times for several' }),
      dataset: Option.String('--dataset', { description: 'AGENT/DATASET: its examples become the cases' }),
      criteria: Option.Array('--criterion', [], { description: 'what a good answer is, in words; several times for several' }),
      files: Option.Array('--path', [], { description: 'files of yours that contestants may read; several times for several' }),
      onDeploy: Option.Boolean('--on-deploy', { description: 'run new versions of your contestants automatically' }),
      open: Option.Boolean('--open', { description: 'show who each contestant is before you have rated' }),
    }),
    route: 'trialRooms.create',
    send: async ({ file, title, slug, goal, cases, dataset, criteria, files, onDeploy, open }) => {
      const { readJsonFile } = await import('../lib/json-file.ts');
      const written = file === undefined ? {} : await readJsonFile(file, 'name a JSON file with a trial room');
      const body = {
        ...(written as object),
        ...(title !== undefined && { title }),
        ...(slug !== undefined && { slug }),
        ...(goal !== undefined && { goal }),
        ...(cases.length > 0 && { cases: cases.map((text) => jsonOf('--case', text)) }),
        ...(dataset !== undefined && { dataset: datasetOf(dataset) }),
        ...(criteria.length > 0 && { acceptance_criteria: criteria.map((text) => ({ text })) }),
        ...(files.length > 0 && { input_paths: files }),
        ...(onDeploy !== undefined && { on_deploy: onDeploy }),
        ...(open !== undefined && { blind: !open }),
      };
      // Safe: the API checks it, and says what of it is wrong.
      return { body: body as z.input<typeof TrialRoomIn> };
    },
    lines: ({ slug }) => [slug],
    hint: ({ slug }) => `Let agents answer with: svc trials run ${slug} AGENT.SKILL`,
  }),
  command('trials list', {
    about: 'list your trial rooms, newest first',
    examples: [['The last twenty', 'svc trials list']],
    options: () => ({ limit: Option.String('--limit,-n', '20', { description: 'how many' }) }),
    route: 'trialRooms.list',
    send: ({ limit }) => ({ query: { limit: integer('--limit', limit, { min: 1, max: 200 }) } }),
    json: ({ items }) => items,
    columns: {
      ROOM: ({ slug }) => slug,
      STATE: ({ state }) => state,
      CASES: ({ cases }) => `${cases}`,
      RUNS: ({ runs }) => `${runs}`,
      TITLE: ({ title }) => plain(title),
    },
    empty: () => 'None. Make one with: svc trials create --title TITLE --goal GOAL --case \'{"text": "…"}\'',
  }),
  command('trials rate', {
    about: 'rate the answers of a contestant, 0 to 100',
    examples: [['With a word on why', 'svc trials rate invoice-reader trl_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 80 --notes "Terse, and right"']],
    arguments: { room: 'ROOM', run: 'RUN', score: 'SCORE' },
    options: () => ({ notes: Option.String('--notes', '', { description: 'why' }) }),
    route: 'trialRooms.rate',
    send: ({ room, run, score, notes }) => ({
      params: { slug: room, run_id: run },
      body: { score: integer('SCORE', score, { min: 0, max: 100 }), notes },
    }),
    lines: (run, { score }) => [`Rated ${Number(score)}: ${plain(whoOf(run))}`],
  }),
  runTrials,
  command('trials select', {
    about: 'select a contestant: the room is decided, and keeps why',
    examples: [['The best', 'svc trials select invoice-reader trl_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 --reason "Right on every case"']],
    arguments: { room: 'ROOM', run: 'RUN' },
    options: () => ({ reason: Option.String('--reason', { required: true, description: 'why; it is kept' }) }),
    route: 'trialRooms.select',
    send: ({ room, run, reason }) => ({ params: { slug: room, run_id: run }, body: { reason } }),
    lines: roomLines,
  }),
  command('trials get', {
    about: 'show a trial room: who answered, and how each scored',
    details: 'With RUN: every answer of that contestant, with the reasons of its score.',
    examples: [
      ['A room', 'svc trials get invoice-reader'],
      ['The answers of one', 'svc trials get invoice-reader trl_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
    ],
    arguments: { room: 'ROOM', run: '[RUN]' },
    route: 'trialRooms.get',
    send: ({ room }) => ({ params: { slug: room } }),
    json: (found, { room, run }) => (run === undefined ? found : runIn(found, room, run)),
    lines: (found, { room, run }) => (run === undefined ? roomLines(found) : runLines(runIn(found, room, run))),
  }),
];
