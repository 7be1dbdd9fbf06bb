import { expect, test } from 'vitest';
import { BuildPlans, largestDiskMib, limitsOf, remedy } from './plans.ts';
import { progress } from './progress.ts';

test('without settings everybody is on the default plan', () => {
  const plans = BuildPlans.parse({});
  expect(limitsOf({ plans }, 'usr_ada')).toMatchObject({ plan: 'default', limits: { minutes: 15, image_mib: 2_048, disk_mib: 8_192 } });
});

test('a plan says what it changes, and who is on it; machines are made for the largest', () => {
  const plans = BuildPlans.parse({ default: { minutes: 5 }, large: { image_mib: 8_192, disk_mib: 32_768, tenants: ['usr_ada'] } });
  expect(limitsOf({ plans }, 'usr_ada')).toMatchObject({ plan: 'large', limits: { minutes: 15, image_mib: 8_192 } });
  expect(limitsOf({ plans }, 'usr_ben')).toMatchObject({ plan: 'default', limits: { minutes: 5, image_mib: 2_048 } });
  expect(largestDiskMib({ plans })).toBe(32_768);
  expect(remedy('large')).toMatch(/limit of the plan "large".*SVC_BUILD_PLANS/);
});

test.each([[{ default: { minutes: 90 } }], [{ default: { megabytes: 1 } }], [{ 'Not a name': {} }], [{ default: null }]])('%j is no setting', (given) =>
  expect(BuildPlans.safeParse(given).success).toBe(false),
);

test('a long step says how far it is every 5 s, a short one nothing', () => {
  let now = 0;
  const said: string[] = [];
  const report = progress(
    (text) => said.push(text),
    'Moving',
    () => now,
  );
  for (const [at, mib] of [
    [1_000, 10],
    [4_999, 20],
    [5_000, 30],
    [9_000, 40],
    [10_500, 50],
  ] as const) {
    now = at;
    report(mib * 1_048_576);
  }
  expect(said).toEqual(['Moving: 30 MiB', 'Moving: 50 MiB']);
});
