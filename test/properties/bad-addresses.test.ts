/** Invalid paths and headers, on every operation. */
import { after, before, test } from 'node:test';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { hostileCredentials, hostileLabels } from './hostile-headers.ts';
import { hostileSegments } from './hostile-values.ts';
import { castOf, fillPath, operationList, toRawRequest, wellFormedRequest } from './operation-request.ts';
import { sample } from './sampling.ts';
import { watchOperation } from './watch.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ JOBS: 'off' });
});
after(() => market.close());

/** Variants of an operation's path. */
const DETOURS: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `/${path}`,
  (path) => `${path}/%2e%2e`,
  (path) => `${path}/..%2f..%2f..%2fetc%2fpasswd`,
  (path) => `${path}%00`,
  (path) => `${path}%ff`,
  (path) => `${path};a=b`,
  (path) => `${path}%3fx`,
  (path) => `/./${path.slice(1)}`,
  (path) => `/x/..${path}`,
  (path) => path.toUpperCase(),
  (path) => path.replaceAll('a', '%61'),
  (path) => path.replaceAll('/', '%2f'),
  (path) => path.replaceAll('/', '\\'),
  (path) => `${path}/${'x/'.repeat(2_000)}`,
  (path) => `${path}?${'a&'.repeat(4_000)}`,
  (path) => `http://elsewhere.example${path}`,
];

for (const operation of operationList) {
  const { path: template } = operation.spec.rest;

  test(`${operation.name} answers unusual spellings of its path without a server error`, async () => {
    const cast = await castOf(market.url, operation);
    const watch = await watchOperation(market, operation, cast);
    for (const detour of sample(DETOURS, { everyday: 1, thorough: 2 })) {
      const request = await wellFormedRequest(operation, cast);
      const path = detour(fillPath(template, request.path).toString());
      await watch.send(path.slice(0, 80), { ...toRawRequest(operation, request), path });
    }
    await watch.report();
  });

  for (const name of Object.keys(operation.spec.input?.path?.shape ?? {})) {
    test(`${operation.name} refuses every invalid ${name} in its path`, async () => {
      const cast = await castOf(market.url, operation);
      const watch = await watchOperation(market, operation, cast);
      for (const segment of sample(hostileSegments, { everyday: 2, thorough: 3 })) {
        const request = await wellFormedRequest(operation, cast);
        const path = fillPath(template, { ...request.path, [name]: segment });
        await watch.send(path.toString('latin1').slice(0, 80), { ...toRawRequest(operation, request), path }, [400, 404, 431]);
      }
      await watch.report();
    });
  }

  test(`${operation.name} answers malformed credentials and accepts none of them`, async () => {
    const cast = await castOf(market.url, operation);
    const watch = await watchOperation(market, operation, cast);
    const isOpen = operation.spec.access.accepts.includes('anonymous');
    for (const { title, lines, must } of sample(hostileCredentials, { everyday: 2, thorough: 3 })) {
      const request = toRawRequest(operation, await wellFormedRequest(operation, cast));
      const type = (request.headers ?? []).filter(([name]) => name === 'Content-Type');
      await watch.send(title, { ...request, headers: [...type, ...lines] }, must ?? (isOpen ? undefined : [400, 401]));
    }
    await watch.report();
  });

  test(`${operation.name} answers invalid values in its other headers without a server error`, async () => {
    const cast = await castOf(market.url, operation);
    const watch = await watchOperation(market, operation, cast);
    const isWrite = operation.spec.effects.kind !== 'read';
    for (const { title, lines, must } of sample(hostileLabels, { everyday: 1, thorough: 2 })) {
      const request = toRawRequest(operation, await wellFormedRequest(operation, cast));
      const isBadKey = isWrite && lines[0]?.[0] === 'Idempotency-Key';
      await watch.send(title, { ...request, headers: [...(request.headers ?? []), ...lines] }, isBadKey ? [400, 401] : must);
    }
    await watch.report();
  });
}
