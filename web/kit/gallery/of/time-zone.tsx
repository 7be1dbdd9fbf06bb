import { useState } from 'react';
import { TimeZoneSelect } from '../../time-zone.tsx';
import type { States } from '../states.ts';

export const timeZone: States = {
  'to choose': function ToChoose() {
    const [zone, setZone] = useState('Europe/Berlin');
    return <TimeZoneSelect value={zone} onChange={setZone} />;
  },
  refused: () => <TimeZoneSelect value="" onChange={() => undefined} error="Required" />,
};
