// SPDX-License-Identifier: Apache-2.0
// Has Mermaid draw what a page has in its language, light or dark as the reader's.
"use strict";

const theme = document.body.dataset.theme;
const isDark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
mermaid.initialize({
  startOnLoad: true,
  theme: isDark ? "dark" : "neutral",
  themeVariables: { edgeLabelBackground: getComputedStyle(document.body).backgroundColor },
});
