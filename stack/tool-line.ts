// The line after which a terminal knows the command line tool of this clone as `svc`, in every folder.
// cli/bin holds only that name.
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../cli/bin', import.meta.url));

export function toolLine(folder = FOLDER): string {
  return `export PATH="${folder.replaceAll(/["\\$`]/g, String.raw`\$&`)}:$PATH"`;
}
