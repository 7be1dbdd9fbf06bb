import { sandboxConformance } from './conformance.ts';
import { sandboxHost } from './test/host.ts';

sandboxConformance(() => sandboxHost());
