// Template updates over real files, git and a database; builds never finish here, so deployments are made
// live by hand.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { scaffold } from '#cli/project/scaffold.ts';
import { templateDigest } from '#contract/crypto/template-digest.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { parseManifest } from '#contract/wire/manifest.ts';
import { fillTemplate, TEMPLATE_LANGUAGES } from '#contract/wire/template.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { acceptFiles } from '../deployment/accept-files.ts';
import { endDeployment, goLive } from '../deployment/stages.ts';
import { readFiles } from '../../agents/source/read-files.ts';
import { releasedTemplates, type Template } from './known.ts';
import { keepTemplates, offerUpdates } from './tend.ts';
import { updateTemplate } from './update.ts';

let t: TestContext;
let ada: TestUser;
/** What this release has, and a release before it that had other words in three files. */
let newest: Template;
let older: Template;

beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  const found = (await releasedTemplates()).get('typescript');
  if (!found) throw new Error('no template');
  newest = found;
  const files: Record<string, string> = { ...found.files, 'old.md': 'Only the older release had it.\n' };
  files['README.md'] = (files['README.md'] ?? '').replace(/\n/, '\nAn older second line.\n');
  files['agent.ts'] = `// Of an older release.\n${files['agent.ts'] ?? ''}`;
  delete files['tsconfig.json'];
  older = { ref: 'typescript', version: '0.0.1', digest: templateDigest(files), files };
  await t.ctx.db('template_versions').insert({ ref: older.ref, version: older.version, digest: older.digest, files: JSON.stringify(files) });
});
afterAll(() => t.close());
let name: string;
let n = 0;
beforeEach(() => void (name = `project-${(n += 1)}`));

const values = (template: Template, update_policy = 'notify') => ({
  name,
  description: 'Says hello',
  sdk: 'file:vendor/svc-sdk-0.0.1.tgz',
  lineage: { ref: template.ref, version: template.version, digest: template.digest, update_policy },
});

/** Deployed from the older template, with these files of the author's; live. */
async function project(edit: (files: Record<string, string>) => void = () => undefined, policy?: string): Promise<string> {
  const files = fillTemplate(older.files, values(older, policy));
  edit(files);
  const { deploy_id } = await acceptFiles(ada, { files: Object.entries(files).map(([path, content]) => ({ path, content })), message: 'First' });
  await live(deploy_id);
  return deploy_id;
}

async function live(deployId: string): Promise<void> {
  await t.ctx.db('deployments').where({ deploy_id: deployId }).update({ state: 'verifying' });
  await goLive(t.ctx, deployId, 'ins_none', AgentCard.parse({ name, description: '', version: '0.1.0', skills: [] }));
}

async function sourceOf(deployId: string | null): Promise<Record<string, string>> {
  const row = await t.ctx
    .db('deployments')
    .where({ deploy_id: deployId ?? '' })
    .first('source_key');
  const files = await readFiles(await t.ctx.drivers.storage.get(row?.source_key ?? ''));
  return Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString()]));
}

const update = (action: 'check' | 'update' | 'approve' | 'reject', choices: Record<string, 'ours' | 'theirs'> = {}) =>
  updateTemplate(ada, { name, action, choices });

test('edits of the author stay, what the template changed comes, and the lineage says so', async () => {
  await project((files) => {
    files['agent.ts'] += '\n// Of the author.\n';
    files['own.ts'] = 'export {};\n';
  });
  expect(await update('check')).toMatchObject({ state: 'available', from: { version: '0.0.1' }, to: { digest: newest.digest }, conflicts: [] });
  const made = await update('update');
  expect(made).toMatchObject({ state: 'approved', conflicts: [], changed_files: ['README.md', 'agent.ts', 'old.md', 'svc.yaml', 'tsconfig.json'] });
  const now = await sourceOf(made.deploy_id);
  const filled = fillTemplate(newest.files, values(newest));
  expect(now['agent.ts']).toBe(`${filled['agent.ts']}\n// Of the author.\n`);
  expect(now).toMatchObject({ 'own.ts': 'export {};\n', 'tsconfig.json': filled['tsconfig.json'], 'svc.yaml': filled['svc.yaml'] });
  expect(now['old.md']).toBeUndefined();
  await live(made.deploy_id ?? '');
  expect(await update('check')).toMatchObject({ state: 'applied', deploy_id: made.deploy_id, from: { digest: newest.digest } });
  expect(await update('update')).toMatchObject({ state: 'applied' });
});

test('a conflict becomes a proposal that shows both sides; nothing is deployed until a person has chosen', async () => {
  await project((files) => void (files['agent.ts'] = `// Of the author, on the first line.\n${files['agent.ts']?.split('\n').slice(1).join('\n')}`));
  const proposed = await update('update');
  expect(proposed).toMatchObject({ state: 'conflicted', deploy_id: null, conflicts: [{ path: 'agent.ts', kind: 'content' }] });
  expect(proposed.conflicts[0]?.merged).toContain('<<<<<<< yours\n// Of the author, on the first line.\n=======');
  expect(await t.ctx.db('deployments').whereIn('agent_id', t.ctx.db('agents').where({ name }).select('agent_id'))).toHaveLength(1);
  await expect(update('approve')).rejects.toMatchObject({ code: 'conflicts_undecided' });
  await expect(update('approve', { 'other.ts': 'ours' })).rejects.toMatchObject({ code: 'conflicts_undecided' });
  const made = await update('approve', { 'agent.ts': 'theirs' });
  expect(made).toMatchObject({ state: 'approved' });
  expect((await sourceOf(made.deploy_id))['agent.ts']).toBe(fillTemplate(newest.files, values(newest))['agent.ts']);
});

test('a proposal can be rejected; deciding without one is refused', async () => {
  await project(undefined, 'propose');
  expect(await update('update')).toMatchObject({ state: 'proposed', conflicts: [], deploy_id: null });
  expect(await update('reject')).toMatchObject({ state: 'rejected' });
  await expect(update('reject')).rejects.toMatchObject({ code: 'no_proposal' });
  await expect(update('approve')).rejects.toMatchObject({ code: 'no_proposal' });
});

test('an update whose deployment fails is rejected, and can be asked for again', async () => {
  await project();
  const made = await update('update');
  await expect(update('update')).resolves.toMatchObject({ state: 'approved', deploy_id: made.deploy_id });
  await endDeployment(t.ctx, made.deploy_id ?? '', 'failed', { code: 'build_failed', message: 'x' });
  expect(await update('check')).toMatchObject({ state: 'rejected' });
  expect(await update('update')).toMatchObject({ state: 'approved' });
});

test('a template that is not kept, or none, is said; so is another owner', async () => {
  await project((files) => void (files['svc.yaml'] = (files['svc.yaml'] ?? '').replace(older.digest, `sha256:${'0'.repeat(64)}`)));
  await expect(update('update')).rejects.toMatchObject({ code: 'template_unknown' });
  expect(await update('check')).toMatchObject({ state: 'none' });
  await expect(updateTemplate(await t.user('eve'), { name, action: 'check', choices: {} })).rejects.toMatchObject({ code: 'agent_not_found' });
  name = `${name}-bare`;
  await project((files) => void (files['svc.yaml'] = (files['svc.yaml'] ?? '').replace(/^template:[^]*/m, '')));
  await expect(update('update')).rejects.toMatchObject({ code: 'template_none' });
});

test('the worker keeps the templates of this release and offers them once, where svc.yaml allows it', async () => {
  const mine = name;
  await project(undefined, 'auto_patch');
  name = `${mine}-notify`;
  await project();
  expect(await keepTemplates(t.ctx)).toBeGreaterThan(15);
  expect(await keepTemplates(t.ctx)).toBe(0);
  expect(await offerUpdates(t.ctx)).toEqual([mine]);
  expect(await offerUpdates(t.ctx)).toEqual([]);
  name = mine;
  expect(await update('check')).toMatchObject({ state: 'approved' });
});

test.each(['python', 'go', 'rust', 'python+nextjs'])('what svc init writes names the template that the platform has: %s', async (ref) => {
  const target = await mkdtemp(join(tmpdir(), 'svc-template-'));
  onTestFinished(() => rm(target, { recursive: true, force: true }));
  const [language, kind] = ref.split('+');
  const { folder } = await scaffold({
    name: 'made',
    description: 'It says "so": yes',
    target,
    language: TEMPLATE_LANGUAGES.find((one) => one === language) ?? 'python',
    frontend: kind === 'nextjs' ? { kind, auth: 'public' } : undefined,
  });
  const manifest = parseManifest(parse(await readFile(join(folder, 'svc.yaml'), 'utf8')));
  const template = (await releasedTemplates()).get(ref);
  expect(manifest.template).toMatchObject({ ref, digest: template?.digest, version: template?.version, description: 'It says "so": yes' });
  if (!template || !manifest.template) throw new Error('no template');
  // Filled by the platform it is the same, to the byte.
  const filled = fillTemplate(template.files, {
    name: 'made',
    description: manifest.template.description,
    sdk: '',
    auth: manifest.frontend?.auth,
    lineage: manifest.template,
  });
  for (const [path, text] of Object.entries(filled)) expect(await readFile(join(folder, path), 'utf8')).toBe(text);
});
