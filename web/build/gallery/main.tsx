// The kit as one page, for work on it: `node web/build/dev.ts`, then /build/gallery/. The build of the
// dashboard does not know it.
import '@mantine/core/styles.css';
import '../../shell/global.css';
import { createRoot } from 'react-dom/client';
import { queries } from '../../api/query.ts';
import { Around, Gallery, routerOf } from '../../kit/gallery/gallery.tsx';
import { resolveVariables, theme } from '../../shell/theme.ts';

const place = document.getElementById('root');
if (!place) throw new Error('index.html has no element with the id root');
createRoot(place).render(<Around router={routerOf(Gallery)} queries={queries()} look={{ theme, cssVariablesResolver: resolveVariables }} />);
