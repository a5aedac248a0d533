// A client by other authors than the protocol's.
import { wrap } from '@faremeter/fetch';
import { createPaymentHandler as createEvmHandler } from '@faremeter/payment-evm/exact';
import { createPaymentHandler as createSolanaHandler } from '@faremeter/payment-solana/exact';
import { createKeyPairSignerFromPrivateKeyBytes, createSolanaRpc, partiallySignTransaction } from '@solana/kit';
import { privateKeyToAccount } from 'viem/accounts';

export async function openClient({ kind, secretKey, rpcUrl, usdcAddress }) {
  const handler = kind === 'evm' ? openEvmHandler(secretKey) : await openSolanaHandler(secretKey, rpcUrl, usdcAddress);
  return wrap(fetch, { handlers: [handler] });
}

function openEvmHandler(secretKey) {
  const account = privateKeyToAccount(secretKey);
  return createEvmHandler({ chain: { id: 8453, name: 'Base' }, address: account.address, account });
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
