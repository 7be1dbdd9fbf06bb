// The worker protocol in Rust: built without a crate, driven through the sidecar.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import { demoWorker, found } from '../support/languages/demo.ts';

const SOURCE = join(import.meta.dirname, '../../sdk/rust');
const HAS_CARGO = found('cargo', '--version');

describe.skipIf(!HAS_CARGO)(`a worker in Rust${HAS_CARGO ? '' : ' (needs cargo)'}`, () => {
  demoWorker(SOURCE, async (folder) => {
    await promisify(execFile)('cargo', ['build', '--release', '--offline', '--locked', '--target-dir', folder], { cwd: SOURCE });
    return join(folder, 'release', 'svc-worker-demo');
  });
});
