import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import { ChainUnavailable, TransferRefused } from '../chain.ts';
import { type JsonRpcClient, RpcError } from '../json-rpc.ts';
import { broadcast } from './broadcast.ts';
import { createSolanaRpc } from './solana-rpc.ts';

const signature = randomBytes(64);
const signed = {
  reference: base58.encode(signature),
  bytes: Buffer.concat([Buffer.of(1), signature, randomBytes(200)]).toString('base64'),
  validity: '1',
};

function nodeThat(answer: () => unknown): ReturnType<typeof createSolanaRpc> {
  const client: JsonRpcClient = { call: async (_method, _params, shape) => shape.parse(answer()) };
  return createSolanaRpc(client);
}

const erring = (code: number, message: string, data?: unknown) =>
  nodeThat(() => {
    throw new RpcError(code, message, data);
  });

test('broadcasting bytes that landed or expired is no error: the outcome shows it later', async () => {
  await broadcast(
    nodeThat(() => signed.reference),
    signed,
  );
  await broadcast(
    erring(-32002, 'Transaction simulation failed: This transaction has already been processed', { err: 'AlreadyProcessed' }),
    signed,
  );
  await broadcast(erring(-32002, 'Transaction simulation failed: Blockhash not found', { err: 'BlockhashNotFound' }), signed);
});

test('any other node error leaves the outcome unknown, never failed', async () => {
  for (const [code, message] of [
    [-32003, 'Transaction signature verification failure'],
    [-32602, 'invalid transaction'],
    [-32005, 'Node is behind'],
    [429, 'Too many requests'],
  ] as const) {
    await assert.rejects(broadcast(erring(code, message), signed), ChainUnavailable);
  }
  await assert.rejects(
    broadcast(
      nodeThat(() => base58.encode(randomBytes(64))),
      signed,
    ),
    ChainUnavailable,
  );
});

test('bytes that do not match the reference are not sent', async () => {
  let sent = 0;
  const node = nodeThat(() => {
    sent += 1;
    return signed.reference;
  });
  await assert.rejects(broadcast(node, { ...signed, reference: base58.encode(randomBytes(64)) }), TransferRefused);
  assert.equal(sent, 0);
});
