/**
 * A lint of tool texts by the criteria of public graders: purpose, when to use it, side effects, every argument, structure, and no two
 * tools that read alike. Models choose a tool by these texts alone.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toolList } from '@market/contract';
import { createAnonymousTools } from '../../packages/server/src/surfaces/mcp/anonymous-tools.ts';

interface Text {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: Readonly<Record<string, Argument>>;
  readonly isRead: boolean;
}

interface Argument {
  readonly description?: string;
  readonly enum?: readonly unknown[];
}

interface Schema {
  readonly properties?: Readonly<Record<string, Argument>>;
}

const unified = toolList.map(({ definition }): Text => {
  const { name, title, description, inputSchema, annotations } = definition;
  return { name, title, description, arguments: (inputSchema as Schema).properties ?? {}, isRead: annotations.readOnlyHint };
});

const anonymous = createAnonymousTools('https://market.example').map(({ definition }): Text => {
  const { name, description, inputSchema, annotations } = definition;
  const { title } = annotations as { title: string };
  return { name, title, description, arguments: (inputSchema as Schema).properties ?? {}, isRead: true };
});

const all = [...unified, ...anonymous];
const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?])\s+/);
const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

describe('tool texts', () => {
  for (const tool of all) {
    test(`${tool.name}: the tool text states purpose, use and effects`, () => {
      const [purpose = ''] = sentencesOf(tool.description);
      assert.match(purpose, /^[A-Z][a-z]+ \S/, 'the purpose begins with a verb');
      assert.doesNotMatch(purpose, /^(This|The|A|An|Tool|It)\b/, 'the purpose begins with a verb, not with the tool');
      assert.ok(wordsOf(purpose).length >= 2 && wordsOf(purpose).length <= 20, `purpose of ${wordsOf(purpose).length} words: ${purpose}`);
      assert.match(tool.description, /\b(Call it|Use it|call it|use it)\b|pay as the instructions say/, 'it says when to use the tool');
      assert.match(tool.description, /Changes nothing|charges nothing|Changes records|moves money/, 'it says what changes');
      if (tool.isRead) assert.match(tool.description, /nothing/i);
    });

    test(`${tool.name}: the tool text is short, plain and visible`, () => {
      assert.ok(tool.description.length >= 60 && tool.description.length <= 1500, `${tool.description.length} characters`);
      for (const sentence of sentencesOf(tool.description))
        assert.ok(wordsOf(sentence).length <= 60, `a sentence is too long: ${sentence}`);
      assert.doesNotMatch(
        tool.description,
        /[\u0000-\u0008\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|<[a-z!]|^#/mu,
        'no hidden text or markup',
      );
      assert.doesNotMatch(tool.description, /\b(ignore|you must|do not tell|secretly|system prompt)\b/i, 'no orders to the model');
      assert.doesNotMatch(tool.description, /https?:\/\//, 'no addresses');
    });

    test(`${tool.name}: the tool text describes every argument, each in its own words`, () => {
      const descriptions = Object.entries(tool.arguments).map(([argument, { description = '' }]) => {
        assert.ok(wordsOf(description).length >= 2, `${argument}: "${description}"`);
        assert.notEqual(description.toLowerCase().replaceAll(/[^a-z]/g, ''), argument.replaceAll('_', ''), `${argument} repeats its name`);
        return description;
      });
      assert.equal(new Set(descriptions).size, descriptions.length, 'two arguments read alike');
    });

    test(`${tool.name}: title and name of the tool have their form`, () => {
      assert.match(tool.name, /^[a-z][a-z0-9_]{2,63}$/);
      assert.match(tool.title, /^[A-Z][^A-Z]*(?:[A-Z][^A-Z]*){0,2}$/, 'in sentence case');
      assert.ok(wordsOf(tool.title).length >= 2 && wordsOf(tool.title).length <= 7, tool.title);
    });
  }

  test('no two tool texts read alike', () => {
    for (const part of ['title', 'description'] as const) {
      const seen = unified.map((tool) => tool[part]);
      assert.deepEqual(
        seen.filter((text, index) => seen.indexOf(text) !== index),
        [],
      );
    }
    const purposes = unified.map(({ description }) => sentencesOf(description)[0]);
    assert.equal(new Set(purposes).size, purposes.length);
  });

  test('every tool that a tool text names exists', () => {
    const names = new Set(unified.map(({ name }) => name));
    for (const { name, description } of unified) {
      for (const [named] of description.matchAll(/\bmarket_[a-z_]+\b/g))
        assert.ok(names.has(named as `market_${string}`), `${name} names ${named}`);
    }
  });
});
