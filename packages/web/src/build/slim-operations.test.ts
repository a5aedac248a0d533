import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type NamedOperation, operationList, signatureTierOf } from '@market/contract';
import { slimOperations } from './slim-operations.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

async function loadSlim(): Promise<{ code: string; list: readonly NamedOperation[] }> {
  const { load } = slimOperations(ROOT);
  assert.ok(typeof load === 'function');
  const code = (await Reflect.apply(load, undefined, [join(ROOT, 'packages/contract/src/operations.ts')])) as string;
  const { operationList: list } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { operationList: NamedOperation[] };
  return { code, list };
}

test('the browser bundle has every operation with all data that a call needs', async () => {
  const { list } = await loadSlim();
  assert.equal(list.length, operationList.length);
  for (const [index, { name, spec }] of operationList.entries()) {
    const slim = list[index];
    assert.equal(slim?.name, name);
    assert.deepEqual(slim.spec.rest, spec.rest, name);
    assert.deepEqual(slim.spec.effects, spec.effects, name);
    assert.deepEqual([slim.spec.access.accepts, signatureTierOf(slim.spec)], [spec.access.accepts, signatureTierOf(spec)], name);
    assert.equal(slim.spec.output.bare, spec.output.bare, name);
    for (const part of ['path', 'query', 'body', 'headers'] as const)
      assert.deepEqual(Object.keys(slim.spec.input?.[part]?.shape ?? {}), Object.keys(spec.input?.[part]?.shape ?? {}), `${name} ${part}`);
  }
});

test('the browser bundle has no schemas, descriptions or examples', async () => {
  const { code } = await loadSlim();
  assert.doesNotMatch(code, /examples|zod|"description"/);
  assert.ok(code.length < 300 * operationList.length * 2, `${code.length} characters`);
});
