import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeApiCall } from './compose-api-call.ts';

const at = 'https://market.example';

test('an API call has its path, query, body and selector where the definition puts them', () => {
  const { curl, sdk } = composeApiCall('orders.approve', { id: 'ord_1 2' }, at);
  assert.match(curl, /"https:\/\/market\.example\/api\/orders\/ord_1%202[^"]*"/);
  assert.match(curl, /Authorization: Bearer \$MARKET_API_KEY/);
  assert.match(curl, /"action":"approve"/);
  assert.equal(sdk, 'await market.orders.approve({\n  id: "ord_1 2",\n});');
  assert.match(composeApiCall('services.list', { limit: 5, search: 'a&b' }, at).curl, /\/api\/services\?limit=5&search=a%26b"$/);
});

test('visitor text cannot escape the quotes of the command', () => {
  const { curl } = composeApiCall('orders.place', { service_id: 'svc_1', brief: `it's"; rm -rf / #` }, at);
  const body = /-d '([\s\S]*)'$/.exec(curl)?.[1] ?? '';
  assert.equal(body.replaceAll("'\\''", '').includes("'"), false);
  assert.ok(body.includes(`it'\\''s`));
});

test('the command of a public call contains no key', () => {
  assert.doesNotMatch(composeApiCall('agents.get', { id: 'tallyrook' }, at).curl, /Authorization/);
});
