import { expect, test } from 'vitest';
import { IDEA_WEIGHTS, IdeaOut } from '#contract/studio/ideas.ts';
import { StudioBrief } from '#contract/studio/studio-brief.ts';
import { STUDIO_RECIPES } from '#contract/states.ts';
import { AgentName } from '#contract/wire/names.ts';
import { AUDIENCES, KINDS, RECIPE_NEEDS } from './recipes.ts';
import { type Market, MOST_MATCHES, scoreIdeas } from './score.ts';
import { formsOf, lineOf, ideaSlug, wordsOfTheme } from './theme.ts';

const nothing: Market = { recipes: new Map(), audiences: new Map() };
const THEMES = [
  'small harbours',
  'x',
  'ä'.repeat(200),
  'W'.repeat(200),
  '🎉',
  '  \u0000\ud800 \u202e \n\t ',
  `'; drop table agents; -- & | ! :* <-> (`,
  '---',
  'xn--bcher-kva',
  'Straßen-Bäume & Öffentlichkeit, 港口',
  `${'ab '.repeat(66)}`,
  '\u200d'.repeat(200),
];

test('weights sum to 100', () => expect(Object.values(IDEA_WEIGHTS).reduce((sum, weight) => sum + weight, 0)).toBe(100));

test('there are ten kinds and ten groups, told apart by their words', () => {
  expect([STUDIO_RECIPES.length, AUDIENCES.length]).toEqual([10, 10]);
  expect(new Set([...Object.values(KINDS), ...AUDIENCES].map(({ word }) => word)).size).toBe(20);
  for (const { suits, words } of AUDIENCES) expect([new Set(suits).size, words.length > 0]).toEqual([3, true]);
  for (const { prior, cheap } of Object.values(KINDS)) expect([prior, cheap].every((part) => part >= 0 && part <= 1)).toBe(true);
});

test.each(THEMES)('on %j there are a hundred ideas that could be built: names, goals and parts are sound', (theme) => {
  const ideas = scoreIdeas(theme, nothing);
  expect(ideas.map(({ rank }) => rank)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  expect(new Set(ideas.map(({ name }) => name)).size).toBe(100);
  expect(new Set(ideas.map(({ recipe, audience }) => `${recipe} ${audience}`)).size).toBe(100);
  for (const idea of ideas) {
    IdeaOut.parse(idea);
    AgentName.parse(idea.name);
    expect(idea.name.length).toBeLessThanOrEqual(58);
    expect(idea.name).not.toMatch(/^xn--/);
    expect(StudioBrief.shape.goal.parse(idea.goal)).toBe(idea.goal);
    expect(idea.goal.isWellFormed()).toBe(true);
    expect(`${idea.goal}${idea.title}`).not.toMatch(/\p{Cc}/u);
    const sum = Object.entries(idea.parts).reduce((all, [part, value]) => all + IDEA_WEIGHTS[part as keyof typeof IDEA_WEIGHTS] * value, 0);
    expect(idea.score).toBeCloseTo(sum, 1);
  }
  expect(ideas.map(({ score }) => score)).toEqual(ideas.map(({ score }) => score).toSorted((a, b) => b - a));
});

test('the same theme gives the same ideas in the same order', () => {
  expect(scoreIdeas('small harbours', nothing)).toEqual(scoreIdeas('small harbours', nothing));
  expect(scoreIdeas(' Small  Harbours', nothing).map(({ name, score }) => [name, score])).toEqual(scoreIdeas('small harbours', nothing).map(({ name, score }) => [name, score])); // prettier-ignore
});

const partsOf = (theme: string, market: Market, recipe: string, audience = 'owners of small businesses', needs = RECIPE_NEEDS) =>
  scoreIdeas(theme, market, needs).find((idea) => idea.recipe === recipe && idea.audience === audience)?.parts;

test('demand grows with bounties and calls from what is thought of the kind', () => {
  const market = (bounties: number, calls: number): Market => ({ ...nothing, recipes: new Map([['mail_triage', { agents: 1, calls, bounties }]]) });
  const demand = (some: Market) => partsOf('boats', some, 'mail_triage')?.demand ?? -1;
  expect(demand(nothing)).toBe(KINDS.mail_triage.prior);
  expect(demand(market(1, 0))).toBeGreaterThan(demand(nothing));
  expect(demand(market(1, 0))).toBe(demand(market(0, 1_000)));
  expect(demand(market(1e9, 1e12))).toBe(1);
});

test('the gap closes with agents that are there, for the kind and for the people', () => {
  const full = { agents: MOST_MATCHES, calls: 0, bounties: 0 };
  const gap = (market: Market) => partsOf('boats', market, 'mail_triage')?.gap;
  expect(gap(nothing)).toBe(1);
  expect(gap({ ...nothing, recipes: new Map([['mail_triage', full]]) })).toBe(0.3);
  expect(gap({ recipes: new Map([['mail_triage', full]]), audiences: new Map([['owners', { ...full, agents: 1e6 }]]) })).toBe(0);
});

test('fit: words of the theme speak for a kind, and a kind suits some people more', () => {
  const fit = (theme: string, recipe: string, audience?: string) => partsOf(theme, nothing, recipe, audience)?.fit ?? -1;
  expect(fit('outages of ferries', 'monitor_alert')).toBeGreaterThan(fit('ferries', 'monitor_alert'));
  expect(fit('outages of ferries', 'table_report')).toBeLessThan(fit('ferries', 'table_report'));
  expect(fit('ferries', 'mcp_bridge', 'developers')).toBeGreaterThan(fit('ferries', 'mcp_bridge', 'teachers'));
});

test('feasibility: fewer inputs are better, whatever table says so', () => {
  const feasibility = (needs = RECIPE_NEEDS) => partsOf('ferries', nothing, 'monitor_alert', undefined, needs)?.feasibility;
  expect(feasibility()).toBe(0.75);
  expect(feasibility({ ...RECIPE_NEEDS, monitor_alert: [] })).toBe(1);
  expect(feasibility({ ...RECIPE_NEEDS, monitor_alert: ['a', 'b', 'c', 'd', 'e'] })).toBe(0);
  const [idea] = scoreIdeas('ferries', nothing, { ...RECIPE_NEEDS, monitor_alert: ['here'] }).filter(({ recipe }) => recipe === 'monitor_alert');
  expect(idea).toMatchObject({ missing: ['here'], reason: expect.stringContaining('You have to give here') });
});

test('themes as words, lines and parts of names', () => {
  expect(wordsOfTheme("The agents for my Harbours' & harbours :* 'x'")).toEqual(['harbours']);
  expect(wordsOfTheme('ab '.repeat(3) + 'y'.repeat(41))).toEqual(['ab']);
  expect([formsOf('harbours'), formsOf('ferry'), formsOf('bus')]).toEqual([['harbours', 'harbour'], ['ferry', 'ferrys'], ['bus', 'buss']]); // prettier-ignore
  expect(lineOf(' a\u0000b\n\n c\ud800 ')).toBe('a b c\ufffd');
  expect([ideaSlug('Öl & Gas!'), ideaSlug('港口'), ideaSlug('--'), ideaSlug(`${'a'.repeat(29)} b`)]).toEqual(['ol-gas', 'idea', 'idea', 'a'.repeat(29)]);
});
