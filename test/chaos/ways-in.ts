// Ways in that leave something behind for longer than a call: an import, a push, a repair, a mail, a custom
// domain. Each is repeated as its client would repeat it until it is known to be done, and looked at from
// outside: it was done once.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, clientOf } from '#contract/client.ts';
import { sourceEditor } from '#contract/deploys/source-editor.ts';
import { gitIn } from '#drivers/scm/test/serve-git.ts';
import { parseMail } from '#drivers/mail/parse.ts';
import { workerFiles } from './agents.ts';
import type { Outcome } from './operations.ts';
import { until } from './persistent.ts';
import type { Chance } from './random.ts';
import type { World } from './world.ts';

const PATIENCE_MS = 240_000;

/** Looks until there is something; throws in time. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>, forMs = PATIENCE_MS): Promise<T> {
  for (const end = Date.now() + forMs; ;) {
    const found = await until(what, look);
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`${what}: not in ${forMs / 1000} s`);
    await sleep(500);
  }
}

/** Resolves undefined where the answer to an earlier, lost request says that it is done. */
export async function unless<T>(status: number, call: () => Promise<T>): Promise<T | undefined> {
  return call().catch((error: unknown) => {
    if (error instanceof ApiError && error.status === status) return undefined;
    throw error;
  });
}

export const remove = ({ api }: World, name: string): Promise<unknown> =>
  until('delete an agent', () => unless(404, () => api.agents.delete({ params: { name } })));

export async function rows<T>({ db }: World, sql: string, values: unknown[]): Promise<T[]> {
  return until('look at the database', async () => (await db.query(sql, values)).rows as T[]);
}

/** The registry has it once, it serves, and a call arrives at the other side. */
export async function imported(world: World, outcome: Outcome): Promise<void> {
  const name = `imported-${outcome.token}`;
  const { api, outside } = world;
  await until('import', () => api.agents.import({ body: { url: outside.remote.url, name } }));
  await eventually('call an imported agent', async () => {
    const answer = await api.agents
      .invoke({ params: { name, skill_name: 'say_it' }, body: { text: outcome.token } }, { signal: AbortSignal.timeout(30_000) })
      .catch(() => undefined);
    return (await answer?.text())?.includes(`you said: ${outcome.token}`) === true ? true : undefined;
  });
  const counted = await rows<{ agents: number; imports: number; live: number; serving: number }>(
    world,
    `select count(*)::int as agents, count(i.agent_id)::int as imports,
       (select count(*)::int from deployments d join agents x using (agent_id) where x.name = $1 and d.state = 'live') as live,
       (select count(*)::int from instances n join agents x using (agent_id) where x.name = $1 and n.state = 'serving') as serving
     from agents a left join agent_imports i using (agent_id) where a.name = $1`,
    [name],
  );
  const once = JSON.stringify([{ agents: 1, imports: 1, live: 1, serving: 1 }]);
  if (JSON.stringify(counted) !== once) outcome.faults.push(`an import is there as ${JSON.stringify(counted)}`);
  await remove(world, name);
  outcome.state = 'imported';
}

/** One deployment of the commit, and it is live. */
export async function pushed(world: World, outcome: Outcome): Promise<void> {
  const name = `pushed-${outcome.token}`;
  await until('make a repository', () => unless(409, () => world.api.agents.fromSource({ body: { name } })));
  const commit = await pushOf(world, name, workerFiles(name, '1.0.0'));
  outcome.state = await deployed(world, name, commit);
  const deployments = await rows<{ state: string }>(world, `select state from deployments join agents using (agent_id) where name = $1`, [name]);
  if (deployments.length !== 1) outcome.faults.push(`a commit that was pushed once has ${deployments.length} deployments`);
  await soundRepository(world, outcome, name, commit);
  await remove(world, name);
}

/** git accepts it, and the branch is where it was pushed to. */
async function soundRepository(world: World, outcome: Outcome, name: string, commit: string): Promise<void> {
  const { i } = world;
  const found = await gitIn(i.stateDir, ['clone', '-q', '--bare', await addressOf(world, name), join(i.home, 'clones', name)]);
  if (found.code !== 0) return void outcome.faults.push(`the repository cannot be cloned: ${found.err}`);
  const [sound, head] = [
    await gitIn(join(i.home, 'clones', name), ['fsck', '--full', '--strict']),
    await gitIn(join(i.home, 'clones', name), ['rev-parse', 'main']),
  ];
  if (sound.code !== 0 || head.out.trim() !== commit) outcome.faults.push(`the repository is not sound: ${sound.err}${head.out}`);
}

async function addressOf({ i, token }: World, name: string): Promise<string> {
  const made = await until('make a source token', () => editor(i.baseUrl, token).createToken({ params: { name }, body: { mode: 'write' } }));
  return `${i.baseUrl.replace('://', `://x:${made.token}@`)}/git/${name}.git`;
}

const editor = (baseUrl: string, token: string) => clientOf({ sourceEditor }, { baseUrl, token }).sourceEditor;

/** Commits the files and pushes until git says that they are there. */
async function pushOf(world: World, name: string, files: Record<string, string>): Promise<string> {
  const folder = join(world.i.home, 'pushes', name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await gitIn(folder, ['init', '-q', '-b', 'main']);
  await gitIn(folder, ['add', '-A']);
  await gitIn(folder, ['commit', '-q', '-m', 'change']);
  await eventually('push', async () => {
    const ran = await gitIn(folder, ['push', await addressOf(world, name), 'main']);
    return ran.code === 0 ? true : undefined;
  });
  return (await gitIn(folder, ['rev-parse', 'HEAD'])).out.trim();
}

/** How the deployment of a commit ended. */
async function deployed(world: World, name: string, commit: string): Promise<string> {
  return eventually(`deploy ${name} at ${commit}`, async () => {
    const all = await world.api.agents.deployments({ params: { name } });
    const state = all.find(({ source_commit }) => source_commit === commit)?.state;
    return state === 'live' || state === 'failed' || state === 'cancelled' || state === 'superseded' ? state : undefined;
  });
}

/** A version that fails is put back without a person: the good commit is live again. */
export async function healed(world: World, outcome: Outcome): Promise<void> {
  const name = `healed-${outcome.token}`;
  const { api } = world;
  await until('make a repository', () => unless(409, () => api.agents.fromSource({ body: { name } })));
  const work = async (): Promise<boolean> => {
    const answer = await api.agents.invoke({ params: { name, skill_name: 'work' }, body: {} }, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
    await answer?.text().catch(() => undefined);
    return answer?.ok === true;
  };
  const good = await pushOf(world, name, workerFiles(name, '1.0.0'));
  outcome.state = await deployed(world, name, good);
  if (outcome.state !== 'live') return void (await remove(world, name));
  await eventually('call the good version', async () => ((await work()) ? true : undefined));
  const bad = await pushOf(world, name, workerFiles(name, '1.0.1', { broken: true }));
  outcome.state = await deployed(world, name, bad);
  if (outcome.state !== 'live' && outcome.state !== 'superseded') return void (await remove(world, name));
  const repair = await eventually('be healed', async () => {
    await work();
    const { repairs } = await api.agents.selfHealing({ params: { name } });
    return repairs.find((one) => one.ended_at !== null && (one.state === 'needs_human' || one.commit === good));
  });
  outcome.state = repair.state === 'healed' ? 'healed' : 'failed';
  if (repair.outcome && repair.state !== 'healed') outcome.error = `${repair.outcome.code}: ${JSON.stringify(repair.steps)}`;
  if (repair.state === 'healed') {
    await eventually('call the healed agent', async () => ((await work()) ? true : undefined));
    const live = (await until('list deployments', () => api.agents.deployments({ params: { name } }))).filter(({ state }) => state === 'live');
    if (live.length !== 1 || live[0]?.source_commit !== good) outcome.faults.push(`healed, and live is ${JSON.stringify(live)}`);
  }
  await remove(world, name);
}

/**
 * A mail is taken once, run once, and answered once: a server that is given an answer again knows it by its
 * Message-ID.
 */
export async function mailed(world: World, outcome: Outcome): Promise<void> {
  const { outside, marks } = world;
  const { token, agent } = outcome;
  await eventually('send a mail', async () => {
    const sent = await outside.write({ from: token, agent, subject: token, text: marks });
    if (sent.code >= 500) throw new ApiError(sent.code, { code: 'refused', message: sent.text, request_id: '' });
    return sent.code === 250 ? true : undefined;
  });
  const inState = () =>
    rows<{ state: string; why: string | null }>(world, `select state, why from mail_messages where direction = 'in' and subject = $1`, [token]);
  const end = await eventually('end a mail', async () => (await inState()).find(({ state }) => !['accepted', 'running'].includes(state)));
  if (end.state !== 'answered') {
    outcome.state = 'failed';
    outcome.error = JSON.stringify(end);
    return;
  }
  await eventually('answer a mail', async () => (await answersTo(world, token))[0]);
  const stored = await rows(world, `select 1 from mail_messages where direction = 'out' and correspondent = $1`, [`${token}@friend.example`]);
  if ((await inState()).length !== 1 || stored.length !== 1)
    outcome.faults.push(`a mail is stored ${(await inState()).length} times, with ${stored.length} answers`);
  outcome.state = 'answered';
}

/** Different answers, by their Message-ID and all they say. */
export async function answersTo({ outside }: World, token: string): Promise<string[]> {
  const mine = outside.relay.mails.filter(({ to }) => to.some((address) => address.startsWith(`${token}@`)));
  const read = await Promise.all(mine.map(async ({ raw }) => parseMail(raw)));
  return [...new Set(read.map((mail) => `${mail?.messageId} ${mail?.subject} ${mail?.text}`))];
}

/**
 * A name is added, proved, gets one certificate and is removed: through whatever is killed, and nothing of it
 * stays.
 */
export async function domain(world: World, outcome: Outcome, chance: Chance): Promise<void> {
  const { agents } = world.api;
  const { dns, authority } = world.outside;
  const hostname = `${outcome.token}.example.org`;
  const params = { name: outcome.agent, hostname };
  dns.set('A', hostname, '127.0.0.1');
  // 409: the answer of the first was lost.
  await until('add a domain', () => unless(409, () => agents.addDomain({ params: { name: outcome.agent }, body: { hostname } })));
  await sleep(chance.between(0, 2_000));
  const shown = async () => (await agents.domains({ params: { name: outcome.agent } })).find((one) => one.hostname === hostname);
  const added = await until('list domains', shown);
  if (!added) return void outcome.faults.push('a domain that was added does not exist');
  dns.set('TXT', `_svc-challenge.${hostname}`, added.records[0]?.value ?? '');
  const { state } = await until('verify a domain', () => agents.verifyDomain({ params }));
  if (state !== 'active') outcome.faults.push(`a domain whose proof is there is ${state}`);
  await eventually('get a certificate', async () => ((await shown())?.certificate?.state === 'issued' ? true : undefined));
  const kept = await rows(world, `select c.state from domain_certificates c join agent_domains d using (domain_id) where d.hostname = $1`, [hostname]);
  const issued = authority.issued.filter((name) => name === hostname).length;
  if (kept.length !== 1 || issued !== 1) outcome.faults.push(`a domain has ${kept.length} orders here, and ${issued} certificates were issued`);
  await sleep(chance.between(0, 2_000));
  await until('remove a domain', () => unless(404, () => agents.removeDomain({ params })));
  dns.set('TXT', `_svc-challenge.${hostname}`);
  dns.set('A', hostname);
  outcome.state = 'removed';
}

/** However often it is asked for under its key: one proof, of one call. */
export async function proved(world: World, outcome: Outcome, chance: Chance): Promise<void> {
  const { token, agent } = outcome;
  const args = { token, marks: world.marks, count: chance.between(3, 20), delay: chance.between(20, 200) };
  const run = () =>
    world.api.agentProofs.run({
      params: { name: agent },
      headers: { 'idempotency-key': token },
      body: { skill_name: 'steps', args, deadline_seconds: 900, properties: [{ kind: 'matches', pattern: '^\\d+$', pointer: '/sum' }] },
    });
  // 409: as many of an account as may be under way at a time are.
  const { proof_id, run_id } = await eventually('prove', () => unless(409, run));
  outcome.runId = run_id ?? '';
  const proof = await eventually('the verdict of a proof', async () => {
    const [found] = await rows<{ status: string; error: { code: string } | null }>(world, 'select status, error from agent_proofs where proof_id = $1', [
      proof_id,
    ]);
    return found?.status === 'running' ? undefined : found;
  });
  outcome.state = proof.status;
  if (proof.error) outcome.error = proof.error.code;
  const again = await until('prove again', run);
  if (again.proof_id !== proof_id) outcome.faults.push(`the same key began a second proof: ${proof_id}, ${again.proof_id}`);
}
