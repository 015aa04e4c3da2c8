// Opens Swagger UI on this service's own document. validatorUrl would send the document elsewhere.
const reader = document.getElementById("reader");

window.ui = SwaggerUIBundle({
  domNode: reader,
  url: reader.dataset.document,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: true,
  validatorUrl: null,
});
