import { inAnyContext } from '../lib/any-context.ts';
import { OpenApiClientCommand } from '../commands/openapi/client.ts';
import { OpenApiGenerateCommand } from '../commands/openapi/generate.ts';
import { OpenApiPreviewCommand } from '../commands/openapi/preview.ts';
import { OpenApiSpecCommand } from '../commands/openapi/spec.ts';

export const commands = [inAnyContext(OpenApiSpecCommand), inAnyContext(OpenApiClientCommand), OpenApiPreviewCommand, OpenApiGenerateCommand];
