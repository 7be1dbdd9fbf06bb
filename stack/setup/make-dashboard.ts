// Builds the dashboard; the last line names its folder.
import { z } from 'zod';
import { ensureDashboard } from '#web/build/ensure.ts';
import { dashboardFolder } from './dashboard.mjs';

const { SVC_CACHE_DIR: cache } = z.object({ SVC_CACHE_DIR: z.string() }).parse(process.env);
const folder = dashboardFolder(cache);
await ensureDashboard(folder);
console.log(JSON.stringify({ files: [folder] }));
