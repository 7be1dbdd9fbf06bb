// Stack traces as their author reads them: frames that are not the author's are one line.

const FRAME = /^\s+at /;
const SDK = /@svc\/sdk\/|\/sdk\/typescript\/(?!test\/)|\/contract\/(?:wire|run|errors)\//;
const NODE = /[ (]node:|\bat (?:async )?(?:Promise|Array|new Promise)\b[^/]*$|<anonymous>\)?$/;

/** Of a JavaScript trace the SDK's frames and Node's; other text stays as it is. */
export function foldFrames(stack: string): string {
  const shown: string[] = [];
  let folded: string[] = [];
  const end = (): void => {
    const owners = [...new Set(folded)].map((owner) => `of ${owner}`).join(' and ');
    if (folded.length > 0)
      shown.push(`    … ${folded.length} ${folded.length === 1 ? 'frame' : 'frames'} ${owners}; --verbose shows ${folded.length === 1 ? 'it' : 'them'}`);
    folded = [];
  };
  for (const line of stack.split('\n')) {
    const owner = ownerOf(line);
    if (owner !== undefined) folded.push(owner);
    else {
      end();
      shown.push(line);
    }
  }
  end();
  return shown.join('\n');
}

function ownerOf(line: string): string | undefined {
  if (!FRAME.test(line)) return undefined;
  if (SDK.test(line)) return 'the SDK';
  return NODE.test(line) ? 'Node' : undefined;
}
