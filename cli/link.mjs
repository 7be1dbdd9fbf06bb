// After npm install: node_modules/.bin/svc, so that npx finds this tool in every folder of the clone (a project made inside it,
// say) and not a stranger's package of the same name from the registry. Pages say how to have it everywhere: docs/using.md.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../node_modules/.bin/', import.meta.url));
mkdirSync(folder, { recursive: true });
rmSync(`${folder}svc`, { force: true });
symlinkSync('../../cli/bin.mjs', `${folder}svc`);
