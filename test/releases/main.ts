// npm run release:fixture -- 0.2.0 [--out folder] Makes what the upgrade test takes to every later version.
// It takes some minutes; nothing of it is left on the machine but the fixture.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeFixture } from './make.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
const [version] = positionals;
if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Say the version, as in: npm run release:fixture -- 0.2.0');
const begun = Date.now();
const say = (text: string): void => void process.stdout.write(`${((Date.now() - begun) / 1000).toFixed(0).padStart(5)}s ${text}\n`);
const leaving = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leaving.abort(new Error('stopped: there is no fixture')));
await makeFixture({ version, folder: values.out ?? join(import.meta.dirname, '../../db/releases', version), say, signal: leaving.signal });
process.exit(0);
