// `logs [part] [-f] [-n lines]`: what a part wrote, or all of them side by side.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { readFrom, tail } from '../logs.ts';
import { places, type Settings } from '../settings.ts';

export interface LogOptions {
  part?: string | undefined;
  follow: boolean;
  lines: number;
}

export async function logs(settings: Settings, { part, follow, lines }: LogOptions, print: (line: string) => void, signal: AbortSignal): Promise<number> {
  const dir = places(settings.stateDir).logs;
  const known = existsSync(dir) ? readdirSync(dir).flatMap((file) => (file.endsWith('.log') ? [file.slice(0, -'.log'.length)] : [])) : [];
  if (part !== undefined && !known.includes(part)) {
    print(known.length === 0 ? 'There are no logs yet: `npm run up` first.' : `There is no log of ${part}; there are: ${known.join(', ')}`);
    return 1;
  }
  const names = part === undefined ? known : [part];
  const label = (name: string, line: string) => print(names.length > 1 ? `${name.padEnd(10)} ${line}` : line);
  const positions = names.map((name) => {
    const path = join(dir, `${name}.log`);
    const end = tail(path, lines);
    for (const line of end.lines) label(name, line);
    return { name, path, offset: end.offset, decoder: new StringDecoder(), rest: '' };
  });
  while (follow && !signal.aborted) {
    for (const position of positions) {
      const { bytes, end } = readFrom(position.path, position.offset);
      position.offset = end;
      const pieces = (position.rest + position.decoder.write(bytes)).split('\n');
      position.rest = pieces.pop() ?? '';
      for (const line of pieces) label(position.name, line);
    }
    await sleep(200, undefined, { signal }).catch(() => {});
  }
  return 0;
}
