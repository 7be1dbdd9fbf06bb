import type { z } from 'zod';
import { type SettingIn, type SettingOut, SETTINGS } from '#contract/platform/settings.ts';
import { afterCommit } from '../../kernel/after-commit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { forgetSettings } from '../../kernel/settings.ts';
import { act, done } from '../../kernel/act.ts';
import { writeVersion } from '../versioned.ts';
import { presentSetting, settingName } from './read.ts';

/**
 * @throws NotFound setting_not_found, Invalid, Conflict version_conflict (the present version in its details)
 */
export async function putSetting(ctx: Ctx, i: { key: string } & z.infer<typeof SettingIn>): Promise<SettingOut> {
  return act(ctx, 'setting.put', requireOperator, async (ctx) => {
    const name = settingName(i.key);
    const { minimum, maximum } = SETTINGS[name];
    if (i.value < minimum || i.value > maximum) throw new Invalid([{ path: ['body', 'value'], message: `must be from ${minimum} to ${maximum}` }]);
    const { before, after } = await writeVersion(ctx.db, { table: 'platform_settings', key: ['key', name], version: i.version, values: { value: i.value } });
    afterCommit(ctx.db, forgetSettings);
    return done({ setting: name }, { from: before?.value ?? null, to: i.value, version: after.version }, presentSetting(name, after));
  });
}
