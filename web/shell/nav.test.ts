// Every page of the dashboard has one place in the menu.
import { expect, test } from 'vitest';
import { AREAS, areasFor, placeOf } from './nav.ts';

const operator = { user: { operator: true } };

test('there are at most six areas, and no page is in two', () => {
  expect(AREAS.length).toBeLessThanOrEqual(6);
  const all = AREAS.flatMap(({ pages }) => pages.flatMap(({ to, also = [] }) => [to, ...also]));
  expect(new Set(all).size).toBe(all.length);
});

test('an address belongs to the page whose address is its longest beginning', () => {
  const areas = areasFor(operator);
  const at = (path: string): string => {
    const found = placeOf(areas, path);
    return found ? `${found.area.label} / ${found.page.label}` : 'nowhere';
  };
  expect(at('/')).toBe('Home / Overview');
  expect(at('/agents/mine/greeter/secrets')).toBe('Agents / My agents');
  expect(at('/agents/greeter')).toBe('Agents / Find agents');
  expect(at('/jobs/job_1')).toBe('Runs / All runs');
  expect(at('/sessions/ags_1')).toBe('Runs / All runs');
  expect(at('/studio/ideas')).toBe('Build / Ideas for agents');
  expect(at('/operator/users')).toBe('Account / Operator');
  expect(at('/no/such/page')).toBe('nowhere');
});

test('who is not signed in sees what is public, and only operators the operator', () => {
  const pages = (who: Parameters<typeof areasFor>[0]): string[] => areasFor(who).flatMap((area) => area.pages.map(({ to }) => to));
  expect(pages({ user: null })).toEqual(['/', '/agents', '/bounties', '/receipts', '/studio/guest', '/docs']);
  expect(pages({ user: { operator: false } })).not.toContain('/operator');
});
