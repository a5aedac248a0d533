import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeTailSamples } from './tail-samples.ts';

const codeOf = (filter: Parameters<typeof composeTailSamples>[1]) =>
  Object.fromEntries(composeTailSamples('https://api.example', filter).map(({ id, code }) => [id, code]));

test('samples of the event tail contain no parameters without a position', () => {
  const { curl, sdk, cli } = codeOf({ after: undefined, type: undefined });
  assert.match(curl ?? '', /^curl -N "https:\/\/api\.example\/api\/events\/stream" /);
  assert.match(sdk ?? '', /market\.events\.stream\(\)/);
  assert.equal(cli, 'market listen --print');
});

test('samples of the event tail contain the position and the type in every language', () => {
  const { curl, sdk, cli } = codeOf({ after: '41', type: 'order.paid' });
  assert.match(curl ?? '', /stream\?after=41&types=order\.paid"/);
  assert.match(sdk ?? '', /stream\(\{ after: "41", types: "order\.paid" \}\)/);
  assert.equal(cli, 'market listen --print --events order.paid --after 41');
});
