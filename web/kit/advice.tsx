// What the API says is to be done; the command that it names stands below, folded.
import { InTerminal } from './in-terminal.tsx';
import { namesInWords, withoutCommands } from './plain-words.ts';

export function Advice({ text: given }: { text: string }) {
  const { text, command } = withoutCommands(given);
  return (
    <>
      {namesInWords(text)}
      {command !== undefined && <InTerminal command={command} />}
    </>
  );
}
