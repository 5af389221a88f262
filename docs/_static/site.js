// SPDX-License-Identifier: Apache-2.0
// What the theme leaves out: what scrolls can be reached by the keyboard, and what is announced has a name.
"use strict";

function name() {
  for (const caption of document.querySelectorAll("p.caption[role=heading]")) caption.ariaLevel = "2";
  const drawers = { "aside.sidebar-drawer": "The pages of this site", "aside.toc-drawer": "On this page" };
  for (const [drawer, label] of Object.entries(drawers)) {
    const found = document.querySelector(drawer);
    if (found) found.ariaLabel = label;
  }
}

function reach() {
  for (const each of document.querySelectorAll("pre, .table-wrapper, p:has(> img)"))
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
    else each.removeAttribute("tabindex");
}

name();
reach();
addEventListener("resize", reach);
