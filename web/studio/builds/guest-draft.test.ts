import { expect, test } from 'vitest';
import { guestBriefOf, inputFields } from './guest-draft.ts';

const draft = { name: ' watch ', goal: 'Tell me when it is down', recipe: '' as const, inputs: {} };

test('a line is text, or the JSON that it is; an empty one is left out', () => {
  const inputs = { url: 'https://a.example/', alert_after: '3', feeds: '["https://b.example/"]', cron: ' ', word: 'null' };
  expect(guestBriefOf({ ...draft, inputs })).toEqual({
    name: 'watch',
    goal: draft.goal,
    inputs: { url: 'https://a.example/', alert_after: 3, feeds: ['https://b.example/'], word: 'null' },
  });
});

test('what the API asks for becomes a line, and what was filled in stays one', () => {
  const issues = [
    { path: ['inputs', 'url'], message: 'is missing' },
    { path: ['name'], message: 'is taken' },
  ];
  expect(inputFields({ ...draft, inputs: { cron: '0 7 * * *' } }, issues)).toEqual([
    { key: 'cron', fault: undefined },
    { key: 'url', fault: 'is missing' },
  ]);
});
