// Agents of other frameworks by the adapters of the Python SDK: the newest version of each. The lowest: python-adapters.outside.test.ts.
import { FRAMEWORKS } from '../support/languages/frameworks.ts';
import { proveFramework } from '../support/languages/framework-suite.ts';

for (const framework of FRAMEWORKS) proveFramework(framework, 'newest');
