// The dashboard that the sources say, built where it does not exist yet.
import { dashboardFolder } from '#stack/setup/dashboard.mjs';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { ensureDashboard } from '#web/build/ensure.ts';

/** @param language absent: English. @returns the folder of the build */
export async function builtDashboard(language?: string): Promise<string> {
  const folder = dashboardFolder(cacheFolder(process.env), language);
  await ensureDashboard(folder, language);
  return folder;
}
