// SPDX-License-Identifier: Apache-2.0
"use strict";

const form = document.getElementById("filter");
const shown = document.getElementById("shown");
const rows = [...document.querySelectorAll("#rules tbody tr")];

function filter() {
  const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const { verdict, level } = form.elements;
  let count = 0;
  for (const row of rows) {
    const fits =
      (!verdict.value || row.dataset.verdict === verdict.value) &&
      (!level.value || row.dataset.level === level.value) &&
      words.every((word) => row.textContent.toLowerCase().includes(word));
    row.hidden = !fits;
    count += fits;
  }
  shown.textContent = `${count} of ${rows.length} rules shown`;
}

form.hidden = false;
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
filter();
