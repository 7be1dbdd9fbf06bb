import { Preview } from '../../preview.tsx';
import type { States } from '../states.ts';

export const preview: States = {
  'an image': () => <Preview url="/assets/icon.svg" name="icon.svg" />,
  'a file that is not shown': () => <Preview url="/assets/icon.svg?binary" name="data" type="application/zip" />,
  'nothing is there': () => <Preview url="/v1/nowhere" name="gone.txt" />,
};
