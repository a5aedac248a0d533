// A client written by others than the protocol's authors.
import { wrap } from '@faremeter/fetch';
import { createPaymentHandler as createEvmHandler } from '@faremeter/payment-evm/exact';
import { createPaymentHandler as createSolanaHandler } from '@faremeter/payment-solana/exact';
import { createKeyPairSignerFromPrivateKeyBytes, createSolanaRpc, partiallySignTransaction } from '@solana/kit';
import { privateKeyToAccount } from 'viem/accounts';

export async function openClient({ kind, caip2, secretKey, rpcUrl, usdcAddress }) {
  const handler = kind === 'evm' ? openEvmHandler(secretKey, caip2) : await openSolanaHandler(secretKey, rpcUrl, usdcAddress);
  return wrap(fetch, { handlers: [handler] });
}

function openEvmHandler(secretKey, caip2) {
  const account = privateKeyToAccount(secretKey);
  return createEvmHandler({ chain: { id: Number(caip2.replace('eip155:', '')), name: 'EVM' }, address: account.address, account });
}

async function openSolanaHandler(secretKey, rpcUrl, usdcAddress) {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(secretKey, 'hex'));
  const wallet = {
    network: 'mainnet-beta',
    publicKey: signer.address,
    partiallySignTransaction: (transaction) => partiallySignTransaction([signer.keyPair], transaction),
  };
  return createSolanaHandler(wallet, usdcAddress, createSolanaRpc(rpcUrl));
}
