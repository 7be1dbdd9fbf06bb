// The first script of a page: what a server has rendered is painted before all others run.
import { nextFrame } from './shell/next-frame.ts';

if (document.getElementById('rendered')) await nextFrame();
await import('./main.tsx');
