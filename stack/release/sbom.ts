// The list of parts of a release: CycloneDX 1.6, of all that npm installs here and of what the Python package
// asks for. npm writes 1.5, all of which 1.6 has too. Development packages are in it, marked as such by npm:
// the dashboard is built from some of them.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { list, type ReadEntry } from 'tar';
import { z } from 'zod';
import { repository } from '../setup/folders.mjs';
import type { Released } from './changelog.ts';

const Component = z.looseObject({ 'bom-ref': z.string(), type: z.string(), name: z.string() });
const Bom = z.looseObject({
  metadata: z.looseObject({ component: Component }),
  components: z.array(Component),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

/** `sdist`: the file of the Python package. The same for the same lock file and package. */
export async function sbomOf({ version, date }: Released, sdist: string): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'], {
    cwd: repository,
    maxBuffer: 64 * 2 ** 20,
  });
  const npm = Bom.parse(JSON.parse(stdout));
  const python = pythonParts(version, await requirementsOf(sdist));
  const parts = {
    components: [...npm.components, ...python.components],
    dependencies: [...npm.dependencies, ...python.dependencies],
  };
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialOf(JSON.stringify([version, parts])),
    version: 1,
    // npm names the root after its folder, and itself with its version.
    metadata: { timestamp: `${date}T00:00:00Z`, component: { ...npm.metadata.component, name: 'svc' } },
    ...parts,
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

/** Lines such as `pydantic<3,>=2.7` or `httpx<1,>=0.27; extra == 'http'`. */
async function requirementsOf(sdist: string): Promise<string[]> {
  let text = '';
  const read = (entry: ReadEntry): unknown =>
    /^[^/]+\/PKG-INFO$/.test(entry.path) ? entry.on('data', (chunk: Buffer) => (text += chunk.toString())) : entry.resume();
  await list({ file: sdist, onReadEntry: read });
  return [...text.matchAll(/^Requires-Dist: (.+)$/gm)].map(([, line = '']) => line);
}

/** Its installer chooses versions within these ranges, so the parts have none. */
function pythonParts(version: string, requirements: readonly string[]) {
  const own = `pkg:pypi/svc-sdk@${version}`;
  const requirementsByName = Map.groupBy(requirements, (line) => (/^[\w.-]+/.exec(line)?.[0] ?? line).toLowerCase().replaceAll(/[._]/g, '-'));
  const parts = [...requirementsByName].map(([name, lines]) => ({
    'bom-ref': `pkg:pypi/${name}`,
    type: 'library',
    name,
    purl: `pkg:pypi/${name}`,
    scope: lines.some((line) => !line.includes('extra ==')) ? 'required' : 'optional',
    properties: lines.map((value) => ({ name: 'svc:python:requires-dist', value })),
  }));
  const license = [{ license: { id: 'Apache-2.0' } }];
  return {
    components: [{ 'bom-ref': own, type: 'library', name: 'svc-sdk', version, purl: own, licenses: license }, ...parts],
    dependencies: [{ ref: own, dependsOn: parts.map((part) => part['bom-ref']) }, ...parts.map((part) => ({ ref: part['bom-ref'], dependsOn: [] }))],
  };
}

function serialOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
