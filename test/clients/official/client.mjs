// The protocol's published client, set up as its documentation says. Plain JavaScript, because its packages are installed on demand, so
// the type check cannot see them.
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/client';
import { privateKeyToAccount } from 'viem/accounts';

export async function openClient({ kind, version, secretKey, rpcUrl, mostUsd }) {
  const client = new x402Client();
  if (mostUsd !== undefined) client.setSpendControls({ maxAmountPerPayment: mostUsd });
  if (kind === 'evm') {
    const account = privateKeyToAccount(secretKey);
    if (version === 1) client.registerV1('base', new ExactEvmSchemeV1(account));
    else client.register('eip155:8453', new ExactEvmScheme(account));
  } else {
    const signer = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(secretKey, 'hex'));
    if (version === 1) client.registerV1('solana', new ExactSvmSchemeV1(signer, { rpcUrl }));
    else client.register('solana:*', new ExactSvmScheme(signer, { rpcUrl }));
  }
  return wrapFetchWithPayment(fetch, client);
}
