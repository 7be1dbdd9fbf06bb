// Settings of the installation, as an operator would have set them.
import type { SettingName } from '#contract/platform/settings.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { forgetSettings } from '#core/kernel/settings.ts';

export async function setSetting({ db }: Pick<Ctx, 'db'>, key: SettingName, value: number): Promise<void> {
  await db('platform_settings').insert({ key, value, version: 1, updated_at: new Date() }).onConflict('key').merge({ value });
  forgetSettings(db);
}
