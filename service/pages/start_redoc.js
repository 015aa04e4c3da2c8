// Opens Redoc on this service's own document.
const reader = document.getElementById("reader");

Redoc.init(
  reader.dataset.document,
  {
    expandResponses: "200,201",
    jsonSamplesExpandLevel: 3,
    pathInMiddlePanel: true,
    requiredPropsFirst: true,
    schemasExpansionLevel: 1,
    theme: {
      spacing: { sectionVertical: 20 },
      typography: {
        fontFamily: "system-ui, sans-serif",
        headings: { fontFamily: "system-ui, sans-serif" },
        code: { color: "#a3211d" },
      },
    },
  },
  reader,
);
