// Makes what only tests use, into the cache; prints its progress line by line, and last the files it made.
import { ensureRegistryPrograms } from '#host/sandbox/test/registry.ts';
import { pythonWithSdk } from './languages/python.ts';
import { ensureS3Server } from './s3-server.ts';

try {
  process.stdout.write('an S3 server, an image registry, the Python SDK with its tools\n');
  const [server, registry, python] = await Promise.all([ensureS3Server(), ensureRegistryPrograms(), pythonWithSdk()]);
  process.stdout.write(`${JSON.stringify({ files: [server, ...registry, python] })}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
