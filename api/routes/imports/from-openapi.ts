import type { fromOpenApi } from '#contract/imports/from-openapi.ts';
import { deployOpenApi } from '#core/imports/openapi/deploy.ts';
import { previewOpenApi } from '#core/imports/openapi/preview.ts';
import type { Handlers } from '../../http/handlers.ts';

export const fromOpenApiRoutes: Handlers<typeof fromOpenApi> = {
  openapiPreview: (ctx, { body }) => previewOpenApi(ctx, body),
  fromOpenapi: (ctx, { body }) => deployOpenApi(ctx, body),
};
