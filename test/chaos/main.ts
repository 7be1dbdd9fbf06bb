// npm run test:chaos -- --kills 100 --seed 1 [--vm] [--only stream,question] [--disk 900] --disk: all of it
// on a disk of so many MiB, which fills up now and then (as root). Everything that is chosen is chosen from
// the seed: a trial that fails is run again by its seed. CHAOS_KEEP=1 leaves a failed installation up.
import { parseArgs } from 'node:util';
import { type OperationKind, OPERATIONS } from './operations.ts';
import { againOnSmallDisk, smallDisk } from './small-disk.ts';
import { trial, usual } from './trial.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string' },
    vm: { type: 'boolean', default: false },
    'kills-per-round': { type: 'string', default: String(usual.killsPerRound) },
    operations: { type: 'string', default: String(usual.operationsPerRound) },
    'round-ms': { type: 'string', default: String(usual.roundMs) },
    only: { type: 'string' },
    disk: { type: 'string' },
    'deploy-every': { type: 'string', default: String(usual.deployEvery) },
  },
});
if (values.disk !== undefined && smallDisk() === undefined) process.exit(await againOnSmallDisk(Number(values.disk)));
const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
const begun = Date.now();
let line = 0;
const say = (text: string): void =>
  void process.stdout.write(`${String((line += 1)).padStart(4)} ${((Date.now() - begun) / 1000).toFixed(1).padStart(7)}s ${text}\n`);
say(`seed ${seed}, ${values.kills} kills, ${values.vm ? 'in machines' : 'agents as plain processes'}`);
const result = await trial({
  seed,
  kills: Number(values.kills),
  vm: values.vm,
  killsPerRound: Number(values['kills-per-round']),
  operationsPerRound: Number(values.operations),
  roundMs: Number(values['round-ms']),
  deployEvery: Number(values['deploy-every']),
  only: values.only === undefined ? undefined : kindsIn(values.only),
  say,
});
say(JSON.stringify({ ...result, seconds: Math.round((Date.now() - begun) / 1000) }));
process.exitCode = result.faults.length === 0 ? 0 : 1;

function kindsIn(text: string): readonly [OperationKind, ...OperationKind[]] {
  const wanted = text.split(',');
  const [first, ...more] = OPERATIONS.filter((kind) => wanted.includes(kind));
  if (first === undefined) throw new Error(`--only takes some of: ${OPERATIONS.join(', ')}`);
  return [first, ...more];
}
