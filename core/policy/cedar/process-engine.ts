// The engine of this process: rules are prepared once for all who ask.
import { Engine } from './engine.ts';

export const engine = new Engine();
