// SPDX-License-Identifier: Apache-2.0
// The order of what the search finds: a heading that is what was asked, pages to read, and then all others.
"use strict";

const TO_READ = ["questions", "surprises", "generated/pending", "way_of_a_pod", "queue", "generated/upgrading"];

var Scorer = {
  score: ([page, , , , score, , kind]) =>
    score + (kind === SearchResultKind.title ? 100 : 0) + (TO_READ.includes(page) ? 10 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
