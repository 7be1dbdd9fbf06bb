import { isSettingName, type SettingName, type SettingOut, SETTINGS } from '#contract/platform/settings.ts';
import type { PlatformSettingsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';

const NAMES = Object.keys(SETTINGS).filter(isSettingName);

export async function listSettings(ctx: Ctx): Promise<{ items: SettingOut[] }> {
  requireOperator(ctx, 'setting.read');
  const rows = new Map((await ctx.db('platform_settings').select('*')).map((row) => [row.key, row]));
  return { items: NAMES.map((name) => presentSetting(name, rows.get(name))) };
}

export async function getSetting(ctx: Ctx, i: { key: string }): Promise<SettingOut> {
  requireOperator(ctx, 'setting.read');
  const name = settingName(i.key);
  return presentSetting(name, await ctx.db('platform_settings').where({ key: name }).first());
}

/** @throws NotFound setting_not_found */
export function settingName(key: string): SettingName {
  if (isSettingName(key)) return key;
  throw new NotFound('setting_not_found', `There is no setting ${key}: there are ${NAMES.join(', ')}`);
}

export function presentSetting(name: SettingName, row: PlatformSettingsRow | undefined): SettingOut {
  const definition = SETTINGS[name];
  return {
    key: name,
    value: row?.value ?? definition.default_value,
    ...definition,
    version: row?.version ?? 0,
    updated_at: row?.updated_at.toISOString() ?? null,
  };
}
