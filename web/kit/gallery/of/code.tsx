import { Code, Json } from '../../code.tsx';
import type { States } from '../states.ts';

const LONG = Array.from({ length: 200 }, (_, at) => `line ${at + 1} of a long text`).join('\n');

export const code: States = {
  'one line': () => <Code text="svc deploy" label="command" />,
  'longer than its box': () => <Code text={LONG} maxHeight={160} />,
  'a value': () => <Json value={{ sum: 3, items: [1, 2], note: null }} />,
  nothing: () => <Json value={undefined} />,
};
