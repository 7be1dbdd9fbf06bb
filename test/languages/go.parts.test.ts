// The worker protocol in Go: built with its standard library alone, driven through the sidecar.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { placeIn } from '#host/build/guest/compiled.ts';
import { demoWorker, found, saysOfMistake } from '../support/languages/demo.ts';

const SOURCE = join(import.meta.dirname, '../../sdk/go');
const HAS_GO = found('go', 'version');

describe.skipIf(!HAS_GO)(`a worker in Go${HAS_GO ? '' : ' (needs the go program)'}`, () => {
  demoWorker(SOURCE, async (folder) => {
    const program = join(folder, 'sum');
    // Nothing is fetched: the module has no dependency, and the toolchain is the one that is here.
    await promisify(execFile)('go', ['build', '-o', program, '.'], {
      cwd: SOURCE,
      env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' },
    });
    return program;
  });

  it('that does not compile is reported with file and line', async () => {
    expect(await saysOfMistake(SOURCE, 'main.go', ['go', 'build', '.'], placeIn.go)).toMatch(/^\.\/main\.go:\d+:\d+: syntax error/);
  });
});
