import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecretBox, SecretUnreadableError } from '../../platform/secrets/secret-box.ts';
import { newWalletKey } from '../../platform/wallets/new-wallet-key.ts';
import { proveWallet, sealedFor } from './prove-wallet.ts';

const secrets = createSecretBox({ current: Buffer.alloc(32, 1), previous: [] });

function makeWallet(agentId: string, kind: 'solana' | 'evm') {
  const { address, secret } = newWalletKey(kind);
  return { secret, row: { agentId, kind, address, sealedKey: secrets.seal(secret, sealedFor({ agentId, kind, address })) } };
}

for (const kind of ['solana', 'evm'] as const) {
  test(`K01: the stored ${kind} key reveals nothing of the key, and no other master key opens it`, () => {
    const { row, secret } = makeWallet('agt_1', kind);
    proveWallet(secrets, row);
    const stored = Buffer.concat(row.sealedKey.split('.').map((part) => Buffer.from(part, 'base64url')));
    assert.ok(!stored.includes(Buffer.from(secret, 'hex')) && !row.sealedKey.includes(secret));
    const stranger = createSecretBox({ current: Buffer.alloc(32, 2), previous: [] });
    assert.throws(() => proveWallet(stranger, row), SecretUnreadableError);
  });

  test(`K02: a ${kind} key altered in any character or moved to another row does not open`, () => {
    const { row } = makeWallet('agt_1', kind);
    for (let at = 0; at < row.sealedKey.length; at++) {
      const other = row.sealedKey[at] === 'A' ? 'B' : 'A';
      const sealedKey = row.sealedKey.slice(0, at) + other + row.sealedKey.slice(at + 1);
      assert.throws(() => proveWallet(secrets, { ...row, sealedKey }), SecretUnreadableError, `character ${at}`);
    }
    assert.throws(() => proveWallet(secrets, { ...row, agentId: 'agt_2' }), SecretUnreadableError);
    assert.throws(() => proveWallet(secrets, { ...row, kind: kind === 'evm' ? 'solana' : 'evm' }), SecretUnreadableError);
  });

  test(`K08: a ${kind} address that does not belong to the sealed key is refused, even when sealed for that address`, () => {
    const { row, secret } = makeWallet('agt_1', kind);
    const { address } = newWalletKey(kind);
    assert.throws(() => proveWallet(secrets, { ...row, address }), SecretUnreadableError);
    const sealedKey = secrets.seal(secret, sealedFor({ agentId: 'agt_1', kind, address }));
    assert.throws(() => proveWallet(secrets, { ...row, address, sealedKey }), /does not belong to its key/);
  });

  test(`K02, K08: a ${kind} wallet that was proven before is refused once its row changes or other keys are used`, () => {
    const { row } = makeWallet('agt_1', kind);
    proveWallet(secrets, row);
    proveWallet(secrets, row);
    const { row: other } = makeWallet('agt_1', kind);
    assert.throws(() => proveWallet(secrets, { ...row, address: other.address }), SecretUnreadableError);
    assert.throws(() => proveWallet(secrets, { ...row, sealedKey: other.sealedKey }), SecretUnreadableError);
    assert.throws(() => proveWallet(createSecretBox({ current: Buffer.alloc(32, 2), previous: [] }), row), SecretUnreadableError);
  });
}
