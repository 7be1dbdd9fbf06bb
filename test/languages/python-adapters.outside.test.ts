// The lowest version of each framework that the Python SDK has an adapter for.
import { FRAMEWORKS } from '../support/languages/frameworks.ts';
import { proveFramework } from '../support/languages/framework-suite.ts';

for (const framework of FRAMEWORKS) proveFramework(framework, 'lowest');
