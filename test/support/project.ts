// Projects as users would send them.
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { create } from 'tar';

/** A gzipped tar of the given files (path → text). */
export async function tarball(files: Record<string, string>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-project-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    return await buffer(create({ gzip: true, portable: true, cwd: folder }, Object.keys(files)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The smallest project that works: one skill that greets. */
export function greeterFiles(name: string, version = '1.0.0', { greeting = 'Hello' }: { greeting?: string } = {}): Record<string, string> {
  return {
    'svc.yaml': `name: ${name}\nversion: ${version}\nentrypoint: agent:Greeter\n`,
    'agent.ts': `import { Agent, skill, z } from '@svc/sdk';

export class Greeter extends Agent {
  name = '${name}';
  description = 'Greets people';
  version = '${version}';
  greet = skill(
    { description: 'Greets one person', input: z.object({ name: z.string() }), output: z.object({ text: z.string() }) },
    async (_ctx, { name }) => ({ text: \`${greeting}, \${name}!\` }),
  );
}
`,
    'package.json': JSON.stringify({ name, version, type: 'module', private: true }, null, 2),
  };
}
