// Names that no agent can have.
import { BOX_SUFFIX } from './names.ts';

/** Path segments next to `/v1/agents/{name}` and host names of the platform itself. */
const RESERVED = new Set(
  'mine search import compose studio openapi from-source from-tarball from-openapi api www app docs idp admin svc public mcp static assets auth login localhost'.split(
    ' ',
  ),
);

/** Why an agent cannot have the name, with what to do; undefined: it can. */
export function reservedName(name: string): string | undefined {
  if (RESERVED.has(name)) return `${name} is reserved by the platform: choose another name`;
  if (name.endsWith(BOX_SUFFIX)) return `${name} ends in ${BOX_SUFFIX}, as addresses of dev boxes do: choose another name`;
  // Browsers show such a label in other letters: it could look like any agent's.
  return name.startsWith('xn--') ? `${name} starts with xn--, which browsers show in other letters: choose another name` : undefined;
}
