import { sandboxConformance } from '#drivers/sandbox/conformance.ts';
import { sandboxHost } from './test/host.ts';

sandboxConformance(() => sandboxHost());
