import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { custodySignedText, ordinarySignedText, siteSignedText } from '../accounts/identity/signed-text.ts';
import { type NamedOperation, operationList } from '../operations.ts';
import { describeAccess, signatureTierGuides } from './credentials.ts';
import { describeAnswer, describeInput } from './describe-fields.ts';
import { describeLimit, describeOperation } from './describe-operation.ts';
import { curlOf } from './examples.ts';

function named(name: string): NamedOperation {
  const operation = operationList.find((candidate) => candidate.name === name);
  assert.ok(operation);
  return operation;
}

test('a field is described by its type, bounds, choices and default', () => {
  const fields = describeInput({
    query: z.object({
      limit: z.coerce.number().int().min(1).max(50).default(10).describe('Rows per page'),
      sort: z.enum(['new', 'old']).optional(),
      only: z.enum(['mine']).optional().describe('`mine`: leave out the others'),
    }),
    body: z.object({ tags: z.array(z.string()).max(3), url: z.url().nullish(), meta: z.record(z.string(), z.string()).optional() }),
  });
  assert.deepEqual(fields, [
    {
      name: 'limit',
      in: 'query',
      type: 'integer',
      kind: 'integer',
      itemKind: 'integer',
      nullable: false,
      required: false,
      default: 10,
      description: 'Rows per page. 1-50.',
    },
    {
      name: 'sort',
      in: 'query',
      type: 'string',
      kind: 'string',
      itemKind: 'string',
      nullable: false,
      required: false,
      description: 'One of `new`, `old`.',
    },
    {
      name: 'only',
      in: 'query',
      type: 'string',
      kind: 'string',
      itemKind: 'string',
      nullable: false,
      required: false,
      description: '`mine`: leave out the others.',
    },
    {
      name: 'tags',
      in: 'body',
      type: 'string[]',
      kind: 'array',
      itemKind: 'string',
      nullable: false,
      required: true,
      description: 'At most 3 items.',
    },
    { name: 'url', in: 'body', type: 'URL or null', kind: 'string', itemKind: 'string', nullable: true, required: false, description: '' },
    { name: 'meta', in: 'body', type: 'object', kind: 'json', itemKind: 'json', nullable: false, required: false, description: '' },
  ]);
});

test('an answer is described field by field, including lists, named records and null', () => {
  const item = z.object({ id: z.string(), at: z.iso.datetime().optional() }).meta({ id: 'DescribedItem' });
  const rows = describeAnswer({ data: z.object({ items: z.array(item), owner: item.nullable() }), extras: z.object({ total: z.int() }) });
  assert.deepEqual(
    rows.map(({ path, type, optional }) => `${path}: ${type}${optional ? '?' : ''}`),
    [
      'data: object',
      'data.items: object[]',
      'data.items[].id: string',
      'data.items[].at: ISO 8601 time?',
      'data.owner: object or null',
      'data.owner.id: string',
      'data.owner.at: ISO 8601 time?',
      'total: integer',
    ],
  );
});

test('describeAccess names credentials, rules and wallet signatures', () => {
  assert.equal(describeAccess({ power: 'public', access: { accepts: ['anonymous'] } }), 'Anyone, without credentials.');
  assert.equal(
    describeAccess({ power: 'public', access: { accepts: ['anonymous', 'api_key'] } }),
    'Anyone; credentials are optional: agent API key.',
  );
  assert.equal(
    describeAccess({ power: 'recover', access: { accepts: ['idp', 'wallet'], rule: 'Only the owner.' } }),
    'Identity-provider token or single-use wallet signature. Only the owner.',
  );
  assert.equal(
    describeAccess({ power: 'grant', proofs: ['action'], access: { accepts: ['idp'], together: 'wallet' } }),
    'Identity-provider token, together with a signed action message of the wallet.',
  );
});

test('describeLimit names requests and window', () => {
  assert.equal(describeLimit({ requests: 5, windowSeconds: 3600 }), '5 requests per hour');
  assert.equal(describeLimit({ requests: 60, windowSeconds: 600 }), '60 requests per 10 minutes');
  assert.equal(describeLimit({ requests: 30, windowSeconds: 60 }), '30 requests per minute');
});

test('the published texts to sign are the texts that the server verifies', async () => {
  const fill = (text: string, digest: string) =>
    text
      .replace('<wallet>', 'W')
      .replace('<wallet_sig_ts>', '7')
      .replace('<host>', 'h:1')
      .replace('<METHOD> <path>', 'POST /api/x')
      .replace('<sha256 hex of the canonical body>', digest);
  const custody = await custodySignedText({
    ...{ host: 'h:1', wallet: 'W', timestampMs: 7 },
    ...{ method: 'POST', path: '/api/x', body: { a: 1, wallet: 'W' } },
  });
  const digest = custody.split(':').at(-1) ?? '';
  assert.match(digest, /^[0-9a-f]{64}$/);
  const site = siteSignedText({ wallet: 'W', timestampMs: 7, host: 'h:1', method: 'POST', path: '/api/x' });
  const texts = Object.fromEntries(signatureTierGuides.map(({ tier, text }) => [tier, fill(text, digest)]));
  const { action, ...others } = texts;
  assert.match(String(action), /POST \/api\/auth\/challenge/);
  assert.deepEqual(others, { ordinary: ordinarySignedText('W', 7), single_use: site, custody });
});

test('the curl example fills the path, encodes the query, quotes for a shell and names the credential', () => {
  const list = named('agents.list').spec;
  assert.equal(
    curlOf(list, { title: '', input: { search: "o'clock & more", limit: 1 }, data: [] }, 'http://h'),
    `curl 'http://h/api/agents?search=o%27clock+%26+more&limit=1'`,
  );
  const rename = curlOf(named('agents.update').spec, { title: '', input: { id: 'a/b', name: "Tally's" }, data: {} }, 'http://h');
  assert.equal(
    rename,
    [
      `curl -X PATCH 'http://h/api/agents/a%2Fb'`,
      `-H "Authorization: Bearer $MARKET_TOKEN"`,
      `-H 'Content-Type: application/json'`,
      `-d '{"name":"Tally'\\''s"}'`,
    ].join(' \\\n  '),
  );
  const link = curlOf(named('auth.linkWallet').spec, { title: '', data: {} }, 'http://h');
  assert.match(link, /Bearer \$MARKET_TOKEN/);
  assert.match(link, /"signed_message": "<message of POST \/api\/auth\/challenge>"/);
});

test('a file is a required field of its own type, and the curl example sends it as a form', () => {
  const { fields, errors, examples } = describeOperation(named('uploads.upload'), 'http://h');
  assert.deepEqual(
    fields.map(({ name, kind, required }) => [name, kind, required]),
    [['file', 'file', true]],
  );
  assert.ok(!errors.implied.some(({ code }) => code === 'invalid_json'));
  assert.equal(
    examples[0]?.curl,
    [`curl -X POST 'http://h/api/upload'`, `-H "Authorization: Bearer $MARKET_API_KEY"`, '-F file=@logo.png'].join(' \\\n  '),
  );
});

test('anchors are unique and kebab-case', () => {
  const anchors = operationList.map((operation) => describeOperation(operation, '').anchor);
  assert.equal(new Set(anchors).size, anchors.length);
  for (const anchor of anchors) assert.match(anchor, /^[a-z0-9]+(-[a-z0-9]+)+$/);
});

test("the operation's own errors are separate from those implied by its shape", () => {
  const { own, implied } = describeOperation(named('agents.recover'), '').errors;
  assert.deepEqual(
    own.map(({ code }) => code),
    ['wallet_mismatch', 'no_agents_found'],
  );
  const codes = implied.map(({ code }) => code);
  assert.ok(codes.includes('signature_already_used') && codes.includes('invalid_json') && codes.includes('internal'));
  assert.ok(!codes.includes('idempotency_in_flight') && !codes.includes('custody_signature_required'));
});
