// Lets the Temporal SDK fetch its development server into the folder given: `node download-temporal.mjs
// <folder> <version>`. Runs under the repository's own Node, once its packages are there; prints the
// program's path.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [folder = '', version = ''] = process.argv.slice(2);
// Starting it is the SDK's way to say that it is whole; it is stopped at once.
const server = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir: folder, version: `v${version}` }, ui: false, log: { format: 'json', level: 'error' } },
});
await server.teardown();
const [program] = readdirSync(folder);
console.log(join(folder, program ?? ''));
