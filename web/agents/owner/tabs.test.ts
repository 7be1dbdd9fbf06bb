import { expect, test } from 'vitest';
import { tabsOf } from './tabs.ts';

test.each(['deployed', 'imported'])('an agent that is %s has at most six tabs, and each page once', (kind) => {
  const tabs = tabsOf({ kind });
  expect(tabs.length).toBeLessThanOrEqual(6);
  const pages = tabs.flatMap((tab) => tab.pages.map(({ to }) => to));
  expect(new Set(pages).size).toBe(pages.length);
});
