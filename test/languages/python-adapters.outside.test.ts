// The lowest version of each framework that the Python SDK has an adapter for, and the newest of those that
// are large.
import { FRAMEWORKS } from '../support/languages/frameworks.ts';
import { proveFramework } from '../support/languages/framework-suite.ts';

for (const framework of FRAMEWORKS) proveFramework(framework, 'lowest');
for (const framework of FRAMEWORKS) if (framework.large) proveFramework(framework, 'newest');
