// The protocol's client for axios, some versions behind the one for fetch, like a program that was not updated for a while.
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { wrapAxiosWithPayment, x402Client } from '@x402/axios';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import axios from 'axios';
import { privateKeyToAccount } from 'viem/accounts';

/** Both versions are registered, as its documentation shows: the server's answer decides. */
export async function openClient({ kind, secretKey, rpcUrl }) {
  const client = new x402Client();
  if (kind === 'evm') {
    registerExactEvmScheme(client, { signer: privateKeyToAccount(secretKey) });
  } else {
    const signer = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(secretKey, 'hex'));
    client.register('solana:*', new ExactSvmScheme(signer, { rpcUrl }));
  }
  const http = wrapAxiosWithPayment(axios.create(), client);
  return async (url, { method = 'GET', headers, body } = {}) => {
    const { status, headers: given, data } = await http.request({ url, method, headers, data: body });
    return Response.json(data, { status, headers: given.toJSON(true) });
  };
}
