// The dashboard that the sources say, built where it does not exist yet.
import { dashboardFolder } from '#stack/setup/dashboard.mjs';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { ensureDashboard } from '#web/build/ensure.ts';

/** @returns the folder of the build */
export async function builtDashboard(): Promise<string> {
  const folder = dashboardFolder(cacheFolder(process.env));
  await ensureDashboard(folder);
  return folder;
}
