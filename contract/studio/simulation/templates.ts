// A starter for each kind of world, and one that answers a question: under which price rule does a market of
// creators stay solvent?
import { EngineSpec, type SimulationSpec } from './spec.ts';
import { WORLD_KINDS, type WorldKind } from '../../states.ts';

type Actor = Pick<SimulationSpec['actors'][number], 'actor_id' | 'role' | 'strategy'> & Partial<SimulationSpec['actors'][number]>;
type Draft = { actors: Actor[] } & Partial<Omit<SimulationSpec, 'actors'>>;

/** `count` actors, the strategies by turns. */
function actors(role: string, strategies: readonly string[], count: number, more: (at: number) => Partial<Actor> = () => ({})): Actor[] {
  return Array.from({ length: count }, (_, at) => {
    const strategy = strategies[at % strategies.length] ?? '';
    return { actor_id: `${role}-${at + 1}`, role, strategy, ...more(at) };
  });
}

const portsOf = (sellers: readonly Actor[]): SimulationSpec['ports'] =>
  sellers.map(({ actor_id }) => ({ port_id: `port-${actor_id}`, actor: actor_id, price_micros: 1_500, open: true }));

const root = (holder: string, more: object = {}): SimulationSpec['capabilities'][number] => ({
  capability_id: `root-${holder}`,
  holder,
  actions: ['read', 'write', 'spend'],
  allow: ['**'],
  deny: ['secrets/**'],
  lifetime_steps: 1_000_000,
  budget_micros: 1_000_000_000,
  max_depth: 4,
  ...more,
});

const BUILDERS: Readonly<Record<WorldKind, (size: number) => Draft>> = {
  market: (size) => {
    const sellers = actors('creator', ['fixed_price', 'cost_plus', 'undercut', 'demand_following'], Math.floor(size * 0.4), () => ({ balance_micros: 30_000 }));
    return { actors: [...sellers, ...actors('buyer', ['cheapest', 'careful'], size - sellers.length)], ports: portsOf(sellers) };
  },
  tournament: (size) => ({
    actors: actors('contender', ['adaptive', 'steady', 'risky'], size, (at) => ({ skill_permille: 500 + ((at * 37) % 400) })),
  }),
  school: (size) => {
    const teachers = actors('teacher', ['strict', 'lenient'], Math.max(1, Math.floor(size / 6)));
    const students = actors('student', ['diligent', 'hasty'], size - teachers.length, () => ({ skill_permille: 200, balance_micros: 20_000 }));
    const capabilities = teachers.map(({ actor_id }) => root(actor_id, { actions: ['work'], allow: ['tasks/**'], deny: [], budget_micros: 0, max_depth: 1 }));
    return { actors: [...teachers, ...students], capabilities };
  },
  adversarial_arena: (size) => {
    const defenders = actors('defender', ['watchful', 'lenient'], Math.max(1, Math.floor(size / 3)));
    const ways = ['any', 'wider_paths', 'wider_actions', 'outlives', 'larger_budget', 'negative_budget', 'union', 'revoked', 'overspend'];
    const capabilities = defenders.map(({ actor_id }) => root(actor_id));
    return { actors: [...defenders, ...actors('attacker', ways, size - defenders.length)], capabilities };
  },
  resource_competition: (size) => ({
    actors: actors('worker', ['polite', 'greedy', 'bursty', 'impatient'], size),
    rules: { slots: Math.max(1, Math.floor(size / 5)) },
  }),
  capability_lifecycle: (size) => {
    const holders = actors('holder', ['careful', 'generous', 'worker', 'worker'], size);
    return { actors: holders, capabilities: holders.filter((_, at) => at % 4 < 2).map(({ actor_id }) => root(actor_id)) };
  },
  partnership: (size) => ({ actors: actors('partner', ['reciprocal', 'generous', 'grudging', 'selfish'], size) }),
};

/** A world of a kind with so many actors, for so many steps. */
export function worldOf(kind: WorldKind, size: number, steps: number): SimulationSpec {
  return EngineSpec.parse({ kind, title: kind.replaceAll('_', ' '), steps, ...BUILDERS[kind](size) });
}

export interface Template {
  template: string;
  about: string;
  spec: SimulationSpec;
}

const STEPS = 100;
const SIZES: Readonly<Record<WorldKind, number>> = {
  market: 20,
  tournament: 16,
  school: 18,
  adversarial_arena: 15,
  resource_competition: 20,
  capability_lifecycle: 16,
  partnership: 20,
};
const ABOUT: Readonly<Record<WorldKind, string>> = {
  market: 'Creators with four price rules sell to buyers.',
  tournament: 'Sixteen contenders meet round by round.',
  school: 'Students learn, are examined, and work under a licence.',
  adversarial_arena: 'Attackers try to escape from their grants in every known way.',
  resource_competition: 'Twenty workers want four slots.',
  capability_lifecycle: 'Grants are handed on, used and taken back.',
  partnership: 'Partners give to a common project, or keep.',
};

/** Five price rules side by side: what is left at the end shows which of them pays for itself. */
function creatorMarket(): SimulationSpec {
  const prices: readonly [string, Record<string, number>][] = [
    ['fixed_price', { price_micros: 700 }],
    ['undercut', { cut_permille: 50 }],
    ['cost_plus', { margin_permille: 0 }],
    ['cost_plus', { margin_permille: 250 }],
    ['demand_following', { up_permille: 80, down_permille: 40 }],
  ];
  const creators = prices.flatMap(([strategy, parameters], at) =>
    [1, 2].map((n): Actor => ({ actor_id: `${strategy.replaceAll('_', '-')}-${at + 1}-${n}`, role: 'creator', strategy, parameters, balance_micros: 20_000 })),
  );
  const draft: Draft = { actors: [...creators, ...actors('buyer', ['cheapest', 'careful'], 15)], ports: portsOf(creators) };
  return EngineSpec.parse({ kind: 'market', title: 'Which price rule keeps creators solvent?', steps: 120, ...draft });
}

export const TEMPLATES: readonly Template[] = [
  ...WORLD_KINDS.map((kind) => ({ template: kind.replaceAll('_', '-'), about: ABOUT[kind], spec: worldOf(kind, SIZES[kind], STEPS) })),
  { template: 'creator-market', about: 'Five price rules side by side in one market: which of them pays for itself?', spec: creatorMarket() },
];

export const templateOf = (name: string): Template | undefined => TEMPLATES.find(({ template }) => template === name);
