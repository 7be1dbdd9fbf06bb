import { Markdown } from '../../markdown.tsx';
import type { States } from '../states.ts';

export const markdown: States = {
  'loads its reader': () => <Markdown text={'A **bold** word, and `code`.'} />,
};
