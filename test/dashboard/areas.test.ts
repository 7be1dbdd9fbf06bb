// Every page that is photographed has its place in the menu.
import { expect, test } from 'vitest';
import { areasFor, placeOf } from '#web/shell/nav.ts';
import { NO_PAGE, pagePaths } from './paths.ts';

test('every page that is photographed is in one area', () => {
  const records = new Proxy<Record<string, string>>({}, { get: () => 'one' });
  const paths = pagePaths({ records } as Parameters<typeof pagePaths>[0]).map(({ path }) => path.split('?')[0] ?? '');
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => path !== NO_PAGE && !placeOf(areasFor({ user: { operator: true } }), path))).toEqual([]);
});
