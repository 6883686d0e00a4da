import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { languageOf, words, WORDS } from "../../../../gateway/console/static/words.js";

const STATIC = new URL("../../../../gateway/console/static/", import.meta.url);
const sources = readdirSync(STATIC).map((name) => [name, readFileSync(new URL(name, STATIC), "utf-8")]);
const pages = sources.filter(([name]) => name.endsWith(".html"));
const scripts = sources.filter(([name]) => name.endsWith(".js") && name !== "words.js");

function placeholders(text) {
  return [...text.matchAll(/\{\w+\}/g)].map(([found]) => found).sort();
}

test("both languages say the same things, with the same values in them", () => {
  assert.deepEqual(Object.keys(WORDS.id), Object.keys(WORDS.en));
  for (const [key, text] of Object.entries(WORDS.en)) {
    assert.deepEqual(placeholders(WORDS.id[key]), placeholders(text), key);
  }
});

test("the pages' own English is the dictionary's", () => {
  for (const [page, html] of pages) {
    for (const [, key, text] of html.matchAll(/data-words="(\w+)"[^>]*>([^<]*)</g)) {
      assert.ok(key in WORDS.en, `${page}: ${key}`);
      if (text) assert.equal(text, WORDS.en[key], page);
    }
    for (const [, key] of html.matchAll(/data-label="(\w+)"/g)) assert.ok(key in WORDS.en, `${page}: ${key}`);
  }
});

test("every word is used, and every used word is there", () => {
  const code = scripts.map(([, text]) => text).join("\n");
  const used = new Set([...code.matchAll(/"([a-z_]+)"/g)].map(([, key]) => key));
  for (const [, html] of pages) for (const [, key] of html.matchAll(/data-(?:words|label)="(\w+)"/g)) used.add(key);
  const byName = /^(part|stage|column)_|^(at_capacity)$/; // built from what the gateway tells
  const unused = Object.keys(WORDS.en).filter((key) => !used.has(key) && !byName.test(key));
  assert.deepEqual(unused, []);
  for (const [, key] of code.matchAll(/words\("(\w+)"/g)) assert.ok(key in WORDS.en, key);
});

test("the browser's language chooses", () => {
  assert.equal(languageOf("id-ID"), "id");
  assert.equal(languageOf("in"), "id");
  assert.equal(languageOf("en-GB"), "en");
  assert.equal(languageOf("fr"), "en");
  assert.equal(languageOf(undefined), "en");
});

test("values are filled in", () => {
  assert.equal(words("transcript_of", { call: "CA1" }), "Transcript of CA1");
});
