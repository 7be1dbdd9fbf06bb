import type { z } from 'zod';
import { type SettingIn, type SettingOut, SETTINGS } from '#contract/platform/settings.ts';
import { afterCommit } from '../../kernel/after-commit.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Invalid } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { forgetSettings } from '../../kernel/settings.ts';
import { inTx } from '../../kernel/tx.ts';
import { presentSetting, settingName, settingRow } from './read.ts';

/** @throws NotFound setting_not_found, Invalid, Conflict version_conflict (the present version in its details) */
export async function putSetting(ctx: Ctx, i: { key: string } & z.infer<typeof SettingIn>): Promise<SettingOut> {
  requireOperator(ctx, 'setting.put');
  const name = settingName(i.key);
  const { minimum, maximum } = SETTINGS[name];
  if (i.value < minimum || i.value > maximum) throw new Invalid([{ path: ['body', 'value'], message: `must be from ${minimum} to ${maximum}` }]);
  return inTx(ctx, async (tx, inner) => {
    // Also where there is no row yet, one writer after the other.
    await tx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`setting ${name}`]);
    const before = await settingRow(tx, name);
    const version = before?.version ?? 0;
    if (version !== i.version) throw new Conflict('version_conflict', `It is at version ${version} now: read it again, then repeat the change`, { version });
    const facts = { value: i.value, version: version + 1 };
    const [row] = await tx('platform_settings')
      .insert({ key: name, ...facts })
      .onConflict('key')
      .merge({ ...facts, updated_at: tx.raw('now()') })
      .returning('*');
    await audit(tx, inner, 'setting.put', name, { from: before?.value ?? null, to: i.value, version: version + 1 });
    afterCommit(tx, forgetSettings);
    return presentSetting(name, row);
  });
}
