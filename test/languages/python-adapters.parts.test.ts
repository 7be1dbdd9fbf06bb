// Agents of other frameworks by the adapters of the Python SDK: the newest version of each that is not large.
// The lowest, and large ones: python-adapters.outside.test.ts.
import { FRAMEWORKS } from '../support/languages/frameworks.ts';
import { proveFramework } from '../support/languages/framework-suite.ts';

for (const framework of FRAMEWORKS) if (!framework.large) proveFramework(framework, 'newest');
