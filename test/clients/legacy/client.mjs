// The first generation of the client, which supports version 1 only and validates challenges strictly.
import { base58 } from '@scure/base';
import { createSigner, wrapFetchWithPayment } from 'x402-fetch';

export async function openClient({ kind, secretKey, rpcUrl, mostUsd }) {
  const signer =
    kind === 'evm' ? await createSigner('base', secretKey) : await createSigner('solana', base58.encode(Buffer.from(secretKey, 'hex')));
  const most = mostUsd === undefined ? undefined : BigInt(mostUsd) * 1_000_000n;
  return wrapFetchWithPayment(fetch, signer, most, undefined, { svmConfig: { rpcUrl } });
}
