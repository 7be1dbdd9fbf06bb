// What the worker does with templates automatically: stores those of this release, and updates agents where
// svc.yaml allows it.
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { withControl } from '../../accounts/control.ts';
import { releasedTemplates } from './known.ts';
import { updateTemplate } from './update.ts';

/** Each digest once, for ever: it is what projects were made from. */
export async function keepTemplates({ db }: Pick<Ctx, 'db'>): Promise<number> {
  let storedCount = 0;
  for (const { files, ...template } of (await releasedTemplates()).values()) {
    const rows = await db('template_versions')
      .insert({ ...template, files: JSON.stringify(files) })
      .onConflict('digest')
      .ignore()
      .returning('digest');
    storedCount += rows.length;
  }
  return storedCount;
}

const atOnce = 20;

/**
 * Agents whose svc.yaml says propose or auto_patch and whose template is older; each newer template is
 * offered once. Resolves with their names.
 */
export async function offerUpdates(ctx: Ctx): Promise<string[]> {
  const newest = await releasedTemplates();
  const { rows } = await ctx.db.raw<{ rows: { name: string; owner_id: string; email: string }[] }>(
    `select a.name, a.owner_id, u.email from deployments d join agents a using (agent_id) join users u on u.user_id = a.owner_id
     join lateral jsonb_to_recordset(:newest::jsonb) as n(ref text, digest text) on n.ref = d.manifest->'template'->>'ref'
     where d.state = 'live' and d.manifest \\? 'template' and a.deleted_at is null
       and d.manifest->'template'->>'update_policy' in ('propose', 'auto_patch') and d.manifest->'template'->>'digest' <> n.digest
       and exists (select 1 from template_versions v where v.digest = d.manifest->'template'->>'digest')
       and not exists (select 1 from template_updates t where t.agent_id = a.agent_id and t.to_digest = n.digest)
     limit :atOnce`,
    { newest: JSON.stringify([...newest.values()].map(({ ref, digest }) => ({ ref, digest }))), atOnce },
  );
  const offered: string[] = [];
  for (const { name, owner_id, email } of rows) {
    const owner: UserActor = { kind: 'user', user_id: owner_id, email, operator: false, via: 'bearer' };
    try {
      await updateTemplate({ ...ctx, actor: await withControl(ctx.db, owner) }, { name, action: 'update', choices: {} });
      offered.push(name);
    } catch (error) {
      // Of one agent: the others have their turn, and it has another one later.
      if (!(error instanceof DomainError)) throw error;
    }
  }
  return offered;
}
