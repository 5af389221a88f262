// SPDX-License-Identifier: Apache-2.0
// Has Mermaid draw the drawings of a page, light or dark like the reader's theme.
"use strict";

const theme = document.body.dataset.theme;
const isDark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
mermaid.initialize({
  startOnLoad: true,
  theme: isDark ? "dark" : "neutral",
  themeVariables: { edgeLabelBackground: getComputedStyle(document.body).backgroundColor },
});
