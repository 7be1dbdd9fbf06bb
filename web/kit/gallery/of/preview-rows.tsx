import { Rows } from '../../preview/rows.tsx';
import type { States } from '../states.ts';

const many = `name,runs\n${Array.from({ length: 1_200 }, (_, at) => `agent-${at},${at}`).join('\n')}`;

export const previewRows: States = {
  'a table': () => <Rows bytes={new Blob(['name,runs\ngreeter,3\n'])} name="runs.csv" />,
  'more lines than are shown': () => <Rows bytes={new Blob([many])} name="many.csv" />,
  empty: () => <Rows bytes={new Blob(['\n'])} name="empty.csv" />,
};
