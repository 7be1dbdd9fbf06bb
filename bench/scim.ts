// `node bench/scim.ts [users]`: what an identity provider's first cycle costs with 100 provisioned users and
// with 10,000 (or `users`): a POST of a user, and a filter by an attribute of each kind, asked in turn. Ends
// with 1 when the p95 of one grows to more than 1.5 times; what takes less than FLOOR_MS counts as that.
import { fileURLToPath } from 'node:url';
import { ENTERPRISE } from '#core/orgs/scim/schema/user.ts';
import { person } from '#core/orgs/scim/test/people.ts';
import { createScimUser } from '#core/orgs/scim/user/write.ts';
import { createPool } from '#db/pool.ts';
import { addOrganization, scimCall, type TestOrganization } from '#test/support/scim.ts';
import { testCtx } from '#test/support/verbs.ts';
import { serveApi } from './api-part.ts';
import { benchCluster } from './database.ts';
import { type BenchPart, percentile, startPart } from './load.ts';
import { median } from './ratio.ts';

const file = fileURLToPath(import.meta.url);
const SMALL = 100;
const [ROUNDS, REQUESTS, WARM_UP, TARGET, FLOOR_MS] = [5, 40, 20, 1.5, 4];
const FILTERS = [
  'userName eq "user-77@acme.example"',
  'externalId eq "Ext-77"',
  'id eq "none"',
  'emails.value eq "user-77@acme.example"',
  'emails[type eq "work"].value eq "user-77@acme.example"',
  'emails[type eq "work" and value sw "user-77@"]',
  'profileUrl eq "https://people.example/P77"',
  'userName sw "user-77@"',
  // Of both sizes one fits: what is compared is finding it, and not showing it.
  'externalId lt "Ext-00"',
  `${ENTERPRISE}:manager.value eq "User-74"`,
  'nickName pr',
  'groups.display eq "Nobody"',
  'emails co "user-77@"',
  'emails.value ew "-77@acme.example"',
  'userName co "er-77@"',
  'externalId eq "Ext-77" or emails co "user-77@"',
  'title eq "nobody" or userName eq "user-77@acme.example"',
];

interface Served {
  part: BenchPart;
  of: TestOrganization;
}

if (process.argv[2] === 'api') process.send?.(await serveApi(process.env['BENCH_DATABASE'] ?? ''));
else await compare(Number(process.argv[2] ?? 10_000));

async function compare(large: number): Promise<void> {
  const cluster = await benchCluster();
  const served: Served[] = [];
  try {
    for (const users of [SMALL, large]) served.push(await serveWith(await cluster.create(), users));
    const missed: string[] = [];
    let made = large;
    const asks: [string, (one: Served) => Promise<unknown>][] = [
      ['POST /Users', ({ part, of }) => scimCall(part.url, of, 'POST', '/Users', person((made += 1)))],
      ['GET /Users/{id}, unknown', ({ part, of }) => scimCall(part.url, of, 'GET', '/Users/none')],
      ...FILTERS.map((filter): (typeof asks)[number] => [
        filter,
        ({ part, of }) => scimCall(part.url, of, 'GET', `/Users?filter=${encodeURIComponent(filter)}`),
      ]),
    ];
    for (const [name, ask] of asks) {
      const [before, after] = await p95s(served, ask);
      const holds = Math.max(after, FLOOR_MS) <= TARGET * Math.max(before, FLOOR_MS);
      if (!holds) missed.push(name);
      process.stdout.write(
        `${name.padEnd(80)} ${before.toFixed(1).padStart(6)} ms ${after.toFixed(1).padStart(6)} ms ${(after / before).toFixed(2)}x ${holds ? '' : 'missed'}\n`,
      );
    }
    process.stdout.write(
      `${SMALL} → ${large} users; p95 at most ${TARGET}x: ${missed.length === 0 ? 'met' : `missed by ${missed.length} of ${asks.length}`}\n`,
    );
    if (missed.length > 0) process.exitCode = 1;
  } finally {
    await Promise.all(served.map(({ part }) => part.stop()));
    await cluster.stop();
  }
}

async function serveWith(connectionString: string, users: number): Promise<Served> {
  const db = createPool({ connectionString, max: 4 });
  const of = await addOrganization(db, 'acme');
  const actor = { kind: 'org_scim', token_id: 'scm_bench', organization_id: of.organization_id, slug: of.slug, role: 'owner' } as const;
  // Nothing is sold, so no seats bound it.
  const ctx = testCtx(db, { actor, payments: undefined });
  for (let n = 0; n < users; n++) await createScimUser(ctx, { body: person(n) });
  await db.raw('analyze');
  await db.destroy();
  return { part: await startPart(file, 'api', { BENCH_DATABASE: connectionString }), of };
}

/** Medians over the rounds, in milliseconds; both asked in turn, so that a noisy moment hits both. */
async function p95s(served: Served[], ask: (one: Served) => Promise<unknown>): Promise<[number, number]> {
  const round = async (requests: number): Promise<[number, number]> => {
    const times: number[][] = served.map(() => []);
    for (let n = 0; n < requests; n++)
      for (const [at, one] of served.entries()) {
        const started = performance.now();
        await ask(one);
        times[at]?.push(performance.now() - started);
      }
    return [percentile(times[0] ?? [], 95), percentile(times[1] ?? [], 95)];
  };
  await round(WARM_UP);
  const rounds: [number, number][] = [];
  for (let n = 0; n < ROUNDS; n++) rounds.push(await round(REQUESTS));
  return [median(rounds.map(([before]) => before)), median(rounds.map(([, after]) => after))];
}
