// Builds the dashboard; the last line names its folder.
import { z } from 'zod';
import { ensureDashboard } from '#web/build/ensure.ts';
import { dashboardFolder } from './dashboard.mjs';

const { SVC_CACHE_DIR: cache, SVC_LANGUAGE: language } = z.object({ SVC_CACHE_DIR: z.string(), SVC_LANGUAGE: z.string().optional() }).parse(process.env);
const folder = dashboardFolder(cache, language);
await ensureDashboard(folder, language);
console.log(JSON.stringify({ files: [folder] }));
