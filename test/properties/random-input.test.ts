/** Random requests from known and unknown fields. `SEED=<number>` repeats a run. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NamedOperation } from '@market/contract';
import fc from 'fast-check';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { times } from '../harness/thoroughness.ts';
import { type Cast, gatherCast, operationList, toRawRequest, wellFormedRequest } from './operation-request.ts';
import { seed } from './sampling.ts';
import { faultsOfAnswer } from './watch.ts';

const RUNS_PER_OPERATION = times(4, 6);

let market: TestMarket;
let cast: Cast;
before(async () => {
  market = await openMarket({ JOBS: 'off' });
  cast = await gatherCast(market.url);
});
after(() => market.close());

for (const operation of operationList) {
  test(`${operation.name} answers ${RUNS_PER_OPERATION} random requests without a fault`, async () => {
    const check = fc.asyncProperty(randomRequest(operation), async ({ query, body, headers }) => {
      const base = await wellFormedRequest(operation, cast);
      const request = { ...base, query: { ...base.query, ...query }, body: base.body && { ...base.body, ...body } };
      const raw = toRawRequest(operation, request);
      const reply = await sendRaw(market.url, { ...raw, headers: [...(raw.headers ?? []), ...headers] });
      assert.deepEqual(faultsOfAnswer(operation, reply), []);
      // A valid random request may have rotated the key or deactivated the agent.
      if (reply.status < 300 && changesAgent(operation)) cast = await gatherCast(market.url);
    });
    await fc.assert(check, { seed, numRuns: RUNS_PER_OPERATION, interruptAfterTimeLimit: 10_000, markInterruptAsFailure: false });
  });
}

function changesAgent({ spec }: NamedOperation): boolean {
  return spec.effects.kind !== 'read' && spec.access.accepts.includes('api_key') && !spec.access.accepts.includes('anonymous');
}

interface RandomRequest {
  readonly query: Record<string, string>;
  readonly body: Record<string, string>;
  readonly headers: readonly (readonly [string, string])[];
}

/** Made once: an arbitrary string costs a tenth of a second to make. */
const VALUE = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.string({ unit: 'grapheme', maxLength: 600 }).map((text) => JSON.stringify(text)),
);
const STRANGE = fc.dictionary(
  fc.string({ unit: 'binary', maxLength: 60 }).filter((name) => name.isWellFormed()),
  VALUE,
  { maxKeys: 2 },
);
const VISIBLE = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 300 });
const HEADERS = fc.array(
  fc.tuple(fc.constantFrom('Idempotency-Key', 'Cookie', 'X-Market-Wallet-Chain', 'X-Request-Id', 'Origin'), VISIBLE),
  { maxLength: 2 },
);

function randomRequest({ spec }: NamedOperation): fc.Arbitrary<RandomRequest> {
  const fields = (part: 'query' | 'body') => {
    const known = Object.keys(spec.input?.[part]?.shape ?? {});
    const values = fc.tuple(...known.map(() => fc.option(VALUE)));
    const some = values.map((chosen) => Object.fromEntries(known.flatMap((name, at) => (chosen[at] == null ? [] : [[name, chosen[at]]]))));
    return fc.tuple(some, fc.option(STRANGE)).map(([usual, odd]): Record<string, string> => ({ ...usual, ...odd }));
  };
  return fc.record({ query: fields('query'), body: fields('body'), headers: HEADERS });
}
