// A Python that is new enough for the SDK, among those on the PATH.
import { ProjectError } from '../problem.ts';
import { run } from './run.ts';

const OLDEST_MINOR = 11;
const NAMES = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];

/** @throws ProjectError that says what to install */
export async function findPython(cwd: string): Promise<string> {
  const seen: string[] = [];
  for (const name of NAMES) {
    const { code, stdout } = await run(name, ['-c', 'import sys; print(sys.executable); print(*sys.version_info[:3], sep=".")'], { cwd, withinMs: 120_000 });
    const [path = '', version = ''] = stdout.trim().split('\n');
    if (code !== 0 || path === '') continue;
    const [major, minor] = version.split('.').map(Number);
    if (major === 3 && (minor ?? 0) >= OLDEST_MINOR) return path;
    seen.push(`${name} is ${version}`);
  }
  const versions = seen.length > 0 ? `; ${seen.join(', ')}` : '';
  throw new ProjectError([
    {
      message: `Python 3.${OLDEST_MINOR} or newer is not on the PATH${versions}. Install one (apt install python3 python3-venv, brew install python, or https://python.org), then run the command again`,
    },
  ]);
}
