// The worker protocol in Rust: built without a crate, driven through the sidecar.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { placeIn } from '#host/build/guest/compiled.ts';
import { demoWorker, found, saysOfMistake } from '../support/languages/demo.ts';

const SOURCE = join(import.meta.dirname, '../../sdk/rust');
const HAS_CARGO = found('cargo', '--version');

describe.skipIf(!HAS_CARGO)(`a worker in Rust${HAS_CARGO ? '' : ' (needs cargo)'}`, () => {
  demoWorker(SOURCE, async (folder) => {
    await promisify(execFile)('cargo', ['build', '--release', '--offline', '--locked', '--target-dir', folder], { cwd: SOURCE });
    return join(folder, 'release', 'svc-worker-demo');
  });

  it('that does not compile is reported with file and line', async () => {
    const cargo: [string, ...string[]] = ['cargo', 'build', '--release', '--offline', '--message-format', 'short', '--color', 'never'];
    expect(await saysOfMistake(SOURCE, 'src/main.rs', cargo, placeIn.rust)).toMatch(/^src\/main\.rs:\d+:\d+: error/);
  });
});
