// Plain JavaScript for the browser: no inline scripts, so that the content security policy can forbid them.
window.SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'model',
  displayRequestDuration: true,
  filter: true,
  operationsSorter: null,
  persistAuthorization: false,
  showExtensions: true,
  tryItOutEnabled: false,
  validatorUrl: null,
});
