/** Compares the table of authority with the list of operations. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CredentialKind } from '../define-operation.ts';
import { operationList } from '../operations.ts';
import { conditions } from './condition-words.ts';
import { isByOperation, permits, powerOf, signatureTierOf } from './permits.ts';
import { powerNames } from './powers.ts';
import { type Proof, proofNames, walletProofs } from './proofs.ts';
import { cellOf } from './table.ts';

/** The proofs that each kind of credential can give. */
const proofsOfKind: Readonly<Record<CredentialKind, readonly Proof[]>> = {
  anonymous: ['none', 'payment', 'reference', 'bare'],
  api_key: ['key', 'key_unowned'],
  idp: ['account', 'linked_wallet'],
  wallet: walletProofs,
  order_token: ['read_token', 'buyer_token'],
  admin: ['admin'],
  admin_key: ['operator_key'],
};

describe('the table of authority', () => {
  test('each credential and scope that an operation accepts gives the power of the operation', () => {
    const missing = operationList.flatMap(({ name, spec }) => [
      ...spec.access.accepts.filter((kind) => !proofsOfKind[kind].some((proof) => permits(proof, spec))).map((kind) => `${name} ${kind}`),
      ...[...(spec.mcp?.scopes ?? []), ...(spec.connectionScopes ?? [])]
        .filter((scope) => !permits(`scope_${scope}`, spec))
        .map((scope) => `${name} ${scope}`),
    ]);
    assert.deepEqual(missing, []);
  });

  test('an operation lists a proof only if the table of authority needs the exception', () => {
    for (const { name, spec } of operationList) {
      const raised = Object.values(spec.fieldPowers ?? {}).flatMap((power) => (typeof power === 'string' ? [power] : Object.values(power)));
      const isException = (proof: Proof) => [spec.power, ...raised].some((power) => isByOperation(cellOf(proof, power)));
      assert.deepEqual(
        (spec.proofs ?? []).filter((proof) => !isException(proof)),
        [],
        `${name} lists proofs that need no mention`,
      );
      for (const proof of spec.withoutProofs ?? [])
        assert.notEqual(cellOf(proof, spec.power), false, `${name}: ${proof} has no power here`);
    }
  });

  test('every condition stands in a cell of the table of authority', () => {
    const used = new Set(proofNames.flatMap((proof) => powerNames.map((power) => cellOf(proof, power))));
    assert.deepEqual(
      Object.keys(conditions).filter((condition) => !used.has(condition as keyof typeof conditions)),
      [],
    );
  });

  test('a field with a power of its own raises the power of the call', () => {
    const updateMe = operationList.find(({ name }) => name === 'agents.updateMe')?.spec;
    const freeze = operationList.find(({ name }) => name === 'spending.freeze')?.spec;
    assert.ok(updateMe && freeze);
    assert.equal(powerOf(updateMe, { name: 'New name' }), 'sell');
    assert.equal(powerOf(updateMe, { name: 'New name', payout_wallet: null }), 'move');
    assert.equal(powerOf(updateMe, { payout_chain: 'base', owner_wallet: '0x' }), 'grant');
    assert.deepEqual([powerOf(freeze, { frozen: true }), powerOf(freeze, { frozen: false })], ['revoke', 'grant']);
    assert.deepEqual([signatureTierOf(updateMe), signatureTierOf(updateMe, { payout_wallet: null })], ['ordinary', 'custody']);
  });

  test('an ordinary signature from a query string reads, and does nothing else', () => {
    const given = powerNames.filter((power) => cellOf('signature_in_query', power) !== false);
    assert.deepEqual(given, ['public', 'read', 'result']);
  });
});
