/** Every field of every operation with every kind of invalid value; a run tries a share of the values on each (`sampling.ts`). */
import { after, before, describe, test } from 'node:test';
import { type NamedOperation, signatureFields } from '@market/contract';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { hostileCredentialValues, hostileNames, hostileQueryForms, hostileValues } from './hostile-values.ts';
import { type Cast, castOf, fillPath, type OperationRequest, operationList, toRawRequest, wellFormedRequest } from './operation-request.ts';
import { sample } from './sampling.ts';
import { type Watch, watchOperation } from './watch.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ JOBS: 'off', OUTBOUND_ALLOW: '127.0.0.1' });
});
after(() => market.close());

const CREDENTIAL_FIELDS = [...signatureFields, 'idp_access_token'];
/** Query parameters that no operation declares. */
const UNDECLARED = ['unknown', 'wallet_sig'];
const spoilCredentials = (part: 'query' | 'body') =>
  CREDENTIAL_FIELDS.flatMap((field) => hostileCredentialValues.map((value) => ({ part, field, value })));
const IN_QUERY = spoilCredentials('query');
const IN_QUERY_AND_BODY = [...IN_QUERY, ...spoilCredentials('body')];

for (const operation of operationList) {
  describe(operation.name, () => {
    for (const [part, field] of listFields(operation)) {
      test(`${operation.name} answers every invalid value of ${field} with a success or a complete refusal that changes nothing`, async () => {
        const { cast, watch } = await begin(operation);
        for (const value of sample(hostileValues, { everyday: 2, thorough: 3 }))
          await sendSpoilt({ operation, cast, watch, part, field, value });
        await watch.report();
      });
    }

    test(`${operation.name} answers invalid values in the credential fields, in body and query`, async () => {
      const { cast, watch } = await begin(operation);
      const spoilings = operation.spec.rest.method === 'GET' ? IN_QUERY : IN_QUERY_AND_BODY;
      for (const spoiling of sample(spoilings, { everyday: 1, thorough: 2 })) await sendSpoilt({ operation, cast, watch, ...spoiling });
      await watch.report();
    });

    test(`${operation.name} answers unknown fields of any name`, async () => {
      const { cast, watch } = await begin(operation);
      for (const name of sample(hostileNames, { everyday: 1, thorough: 2 })) {
        await sendSpoilt({ operation, cast, watch, part: 'query', field: name, value: '"x"' });
        if (!['GET', 'DELETE'].includes(operation.spec.rest.method))
          await sendSpoilt({ operation, cast, watch, part: 'body', field: name, value: '"x"', must: [400] });
      }
      await watch.report();
    });

    test(`${operation.name} answers query parameters that are repeated, nested or wrongly encoded`, async () => {
      const { cast, watch } = await begin(operation);
      const others = sample(UNDECLARED, { everyday: 1, thorough: 2 });
      for (const field of [...Object.keys(operation.spec.input?.query?.shape ?? {}), ...others]) {
        for (const form of sample(hostileQueryForms, { everyday: 1, thorough: 1 })) {
          const request = await wellFormedRequest(operation, cast);
          const path = `${fillPath(operation.spec.rest.path, request.path)}?${field}${form.replaceAll('%NAME%', field)}`;
          await watch.send(`?${field}${form.slice(0, 40)}`, { ...toRawRequest(operation, request), path });
        }
      }
      await watch.report();
    });
  });
}

function listFields({ spec }: NamedOperation): ['query' | 'body', string][] {
  return (['query', 'body'] as const).flatMap((part) =>
    Object.keys(spec.input?.[part]?.shape ?? {}).map((field): ['query' | 'body', string] => [part, field]),
  );
}

async function begin(operation: NamedOperation): Promise<{ cast: Cast; watch: Watch }> {
  const cast = await castOf(market.url, operation);
  return { cast, watch: await watchOperation(market, operation, cast) };
}

interface Spoiling {
  readonly operation: NamedOperation;
  readonly cast: Cast;
  readonly watch: Watch;
  readonly part: 'query' | 'body';
  readonly field: string;
  readonly value: string;
  readonly must?: readonly number[];
}

async function sendSpoilt({ operation, cast, watch, part, field, value, must }: Spoiling): Promise<void> {
  const request = await wellFormedRequest(operation, cast);
  // A key given twice: the later one counts. `__proto__` must be sent unchanged as a name.
  const spoilt: OperationRequest = { ...request, [part]: Object.fromEntries([...Object.entries(request[part] ?? {}), [field, value]]) };
  await watch.send(`${part} ${field.slice(0, 40)} = ${value.slice(0, 60)}`, toRawRequest(operation, spoilt), must);
}
